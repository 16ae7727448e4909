import { tableOf } from './table-of.js';

const text = `
| Name | Meaning     |
| ---- | ----------- |
| one  | the first   |
| two  |             |

| Name of another | Meaning |
| --------------- | ------- |
| three           | 3       |`;

test('reads the rows of a table', () => {
  expect(tableOf(text, 'Name')).toEqual([
    ['one', 'the first'],
    ['two', ''],
  ]);
});

test('reads a table at the end of the text', () => {
  expect(tableOf(text, 'Name of another')).toEqual([['three', '3']]);
});

test('fails without such a table', () => {
  expect(() => tableOf(text, 'Nam')).toThrow('"Nam"');
});
