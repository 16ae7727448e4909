import { declared, differences, notDenied, tiedToAddress } from './packages.mjs';

const packages = {
  root: { name: 'root', devDependencies: { jest: '1' } },
  'libs/sdk': { name: '@own/sdk', dependencies: { undici: '1', '@own/contract': '1' } },
  'libs/contract': { name: '@own/contract' },
  'tools/bench': { name: '@own/bench', dependencies: { undici: '1' } },
};
const document = `
- \`jest\`: runs the tests
- \`undici\`: speaks HTTP
`;

test('a document that says what the packages declare has no difference', () => {
  expect(differences(declared(packages), document)).toEqual([]);
});

test('an item may have several dependencies', () => {
  expect(differences(declared(packages), '- `jest`, `undici`: arbitrary')).toEqual([]);
});

test.each([
  {
    name: 'a missing item',
    from: /- `undici`.*\n/,
    to: '',
    want: 'undici: declared in libs/sdk, tools/bench, but not listed with what it is for',
  },
  {
    name: 'a name too many',
    from: '`jest`',
    to: '`jest`, `nx`',
    want: 'nx: is listed, but nothing declares it',
  },
  {
    name: 'no purpose',
    from: ' runs the tests',
    to: '',
    want: 'jest: declared in root, but not listed with what it is for',
  },
])('$name is a difference', ({ from, to, want }) => {
  expect(differences(declared(packages), document.replace(from, to))).toEqual([want]);
});

test('finds the packages with an address, and passes links within the workspace', () => {
  const packages = {
    '': {},
    'node_modules/a': {},
    'node_modules/own': { resolved: 'libs/own' },
    'node_modules/b': { resolved: 'https://registry.example/b.tgz' },
    'node_modules/c': { resolved: 'git+ssh://git.example/c.git' },
  };
  expect(tiedToAddress({ packages })).toEqual(['node_modules/b', 'node_modules/c']);
});

test('each install script has to be denied', () => {
  const packages = {
    'node_modules/denied': { hasInstallScript: true },
    'node_modules/a/node_modules/@scope/new': { hasInstallScript: true },
    'node_modules/allowed': { hasInstallScript: true },
    'node_modules/plain': {},
  };
  expect(notDenied({ packages }, { allowScripts: { denied: false, allowed: true } })).toEqual([
    "package.json: allowScripts doesn't deny the install script of @scope/new",
    "package.json: allowScripts doesn't deny the install script of allowed",
  ]);
});
