import { table } from './table.js';

test('columns are as wide as their widest cell, and numbers end in one column', () => {
  const rows = [
    [1, 'first'],
    [1000, ''],
  ];

  expect(table(rows, ['ID', 'NOTE'])).toEqual(['  ID  NOTE', '   1  first', '1000']);
});

test('a column without a cell is left out', () => {
  expect(table([[1, '', 'last']], ['ID', 'NOTE', 'END'])).toEqual(['ID  END', ' 1  last']);
});

test.each([
  ['letters', 'abcdefghijkl', 'abcde…'],
  ['wide characters, which take two columns', '植物植物', '植物…'],
  ['one character of several code points', 'e\u0301'.repeat(7), `${'e\u0301'.repeat(5)}…`],
])('no line is wider than the terminal: %s', (_name, note, shown) => {
  expect(table([[1, note]], ['ID', 'NOTE'], 10)).toEqual(['ID  NOTE', ` 1  ${shown}`]);
});

test('a line break in a cell stays in the line', () => {
  expect(table([['error', 'a\nb\u001b[2J']])).toEqual(['error  a\\u000ab\\u001b[2J']);
});
