import { isPointer, keysOf, partAt } from './json-pointer.js';

const VALUE = { id: 1, 'a/b': { '~': 2 }, '~1': 4, items: ['zero', 'one'], '': 3 };

test.each([
  ['/id', 1],
  ['/a~1b/~0', 2],
  ['/~01', 4],
  ['/items/1', 'one'],
  ['/', 3],
  ['/missing', undefined],
  ['/id/more', undefined],
  ['/items/01', undefined],
  ['/items/-', undefined],
  ['/items/length', undefined],
  ['/toString', undefined],
])('%s leads to %p', (pointer, part) => {
  expect(isPointer(pointer)).toBe(true);
  expect(partAt(VALUE, keysOf(pointer))).toBe(part);
});

test.each(['', 'id', '/a~b', '/a~2', '#/id'])('%j is not a pointer to a part', (text) => {
  expect(isPointer(text)).toBe(false);
});
