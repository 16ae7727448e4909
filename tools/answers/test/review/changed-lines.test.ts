import { changedLines } from '../../src/review/changed-lines.js';
import { makeRepository } from './repository.js';

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`);

test('a line is changed if it is new or differs, committed or not', () => {
  const { folder, commit, write } = makeRepository();
  const revision = commit({ 'a file.txt': TEN.join(''), 'b.txt': 'same\n' });
  commit({ 'a file.txt': TEN.with(4, 'five\n').join(''), 'new.txt': 'one\ntwo\n' });
  write({ 'a file.txt': `first\n${TEN.with(4, 'five\n').slice(0, 9).join('')}` });
  const isChanged = changedLines({ revision }, folder);
  const lines = (file: string) => TEN.map((_, index) => index + 1).filter((line) => isChanged(file, line));
  expect(lines('a file.txt')).toEqual([1, 6]);
  expect(lines('b.txt')).toEqual([]);
  expect(lines('new.txt')).toEqual([1, 2]);
});

test('content that looks like a diff is content', () => {
  const { folder, commit } = makeRepository();
  const revision = commit({ 'a.txt': '-- b/old.txt\n', 'b.txt': 'x\n' });
  commit({ 'a.txt': '++ b/b.txt\n@@ -1 +1,9 @@\n' });
  const isChanged = changedLines({ revision }, folder);
  expect([isChanged('a.txt', 1), isChanged('a.txt', 2), isChanged('a.txt', 3)]).toEqual([true, true, false]);
  expect(isChanged('b.txt', 1)).toBe(false);
});

test('a file that moved has changed only where it differs', () => {
  const { folder, git, commit } = makeRepository();
  const revision = commit({ 'a.txt': TEN.join('') });
  git('mv', 'a.txt', 'b.txt');
  commit({ 'b.txt': TEN.with(9, 'ten\n').join('') });
  const isChanged = changedLines({ revision }, folder);
  expect([isChanged('b.txt', 1), isChanged('b.txt', 10)]).toEqual([false, true]);
});

test('everything is new without a base', () => {
  const { folder, commit } = makeRepository();
  commit({ 'a.txt': 'one\n' });
  const isChanged = changedLines({ revision: undefined }, folder);
  expect([isChanged('a.txt', 1), isChanged('a.txt', 2)]).toEqual([true, false]);
});
