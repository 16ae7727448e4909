import { tiedToAddress } from './lock-file.mjs';

test('finds what is tied to an address, and lets links within the workspace be', () => {
  const packages = {
    '': {},
    'node_modules/a': {},
    'node_modules/own': { resolved: 'libs/own' },
    'node_modules/b': { resolved: 'https://registry.example/b.tgz' },
    'node_modules/c': { resolved: 'git+ssh://git.example/c.git' },
  };
  expect(tiedToAddress({ packages })).toEqual(['node_modules/b', 'node_modules/c']);
});
