import { declared, differences, notDenied, tiedToAddress } from './packages.mjs';

const packages = {
  root: { name: 'root', devDependencies: { jest: '1' } },
  'libs/sdk': { name: '@own/sdk', dependencies: { undici: '1', '@own/contract': '1' } },
  'libs/contract': { name: '@own/contract' },
  'tools/bench': { name: '@own/bench', dependencies: { undici: '1' } },
};
const document = `
| Package | Used by | What for |
|---|---|---|
| \`jest\` | root | runs the tests |
| \`undici\` | libs/sdk, tools/bench | speaks HTTP |
`;

test('a document that says what the packages declare has no difference', () => {
  expect(differences(declared(packages), document)).toEqual([]);
});

test('the order of the folders in a row is free', () => {
  const other = document.replace('libs/sdk, tools/bench', 'tools/bench, libs/sdk');
  expect(differences(declared(packages), other)).toEqual([]);
});

test.each([
  { name: 'a missing row', from: /\| `jest`.*\n/, to: '', want: 'jest: declared in root, without a row' },
  {
    name: 'a row too many',
    from: '`jest`',
    to: '`jest` | root | x |\n| `nx`',
    want: 'nx: has a row, but nothing declares it',
  },
  {
    name: 'a user that is not named',
    from: ', tools/bench',
    to: '',
    want: 'undici: declared in libs/sdk, tools/bench, but its row says libs/sdk',
  },
  { name: 'no purpose', from: 'runs the tests', to: '', want: "jest: its row doesn't say what it is for" },
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
