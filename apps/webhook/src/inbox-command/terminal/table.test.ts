import { nameTable, table } from './table.js';

const COLUMNS = [
  { heading: 'ID', isNumber: true, cell: ([id]: string[]) => id! },
  { heading: 'NOTE', isOptional: true, cell: ([, note]: string[]) => note! },
];

test('columns are as wide as their widest cell, and numbers end in one column', () => {
  expect(
    table(COLUMNS, [
      ['1', 'first'],
      ['1000', ''],
    ]),
  ).toBe('  ID  NOTE\n   1  first\n1000\n');
});

test('an optional column without a cell is left out', () => {
  expect(table(COLUMNS, [['1', '']])).toBe('ID\n 1\n');
});

test.each([
  ['letters', 'abcdefghijkl', 'abcde…'],
  ['wide characters, which take two columns', '植物植物', '植物…'],
  [
    'one character of several code points',
    'e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301',
    'e\u0301e\u0301e\u0301e\u0301e\u0301…',
  ],
])('no line is wider than the terminal: %s', (_name, note, shown) => {
  expect(table(COLUMNS, [['1', note]], 10)).toBe(`ID  NOTE\n 1  ${shown}\n`);
});

test('a line break in a cell stays in the line', () => {
  expect(
    nameTable([
      ['error', 'a\nb\u001b[2J'],
      ['id', '1'],
    ]),
  ).toBe('error  a\\u000ab\\u001b[2J\nid     1\n');
});
