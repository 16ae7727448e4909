import { fileAt, findBase } from '../../src/review/base.js';
import { makeRepository } from './repository.js';

const ZEROS = '0'.repeat(40);
const EMPTY = 'Everything is compared with an empty document.';

test('the revision itself, if the working tree is based on it', () => {
  const { folder, commit } = makeRepository();
  const base = commit({ 'a.txt': 'old' });
  commit({ 'a.txt': 'new' });
  expect(findBase(base, folder)).toEqual({ revision: base });
  expect(findBase('main', folder).revision).not.toBe(base);
  expect(fileAt({ revision: base }, 'a.txt', folder)).toBe('old');
});

test('nothing, before the first push', () => {
  const { folder, commit } = makeRepository();
  commit({ 'a.txt': '' });
  const base = findBase(ZEROS, folder);
  expect(base).toEqual({ revision: undefined, note: `This is the first push. ${EMPTY}` });
  expect(fileAt(base, 'a.txt', folder)).toBeUndefined();
});

test('nothing, after a force-push that took the revision away', () => {
  const { folder, git, commit } = makeRepository();
  commit({ 'a.txt': 'kept' });
  const gone = commit({ 'a.txt': 'gone' });
  git('reset', '--quiet', '--hard', 'HEAD~1');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '--quiet', '--prune=now');
  expect(findBase(gone, folder)).toEqual({
    revision: undefined,
    note: `The commit ${gone.slice(0, 7)} is gone, as after a force-push. ${EMPTY}`,
  });
});

test('the last common commit, after a force-push that left the revision', () => {
  const { folder, git, commit } = makeRepository();
  const common = commit({ 'a.txt': '' });
  const before = commit({ 'a.txt': 'before' });
  git('branch', 'other');
  git('reset', '--quiet', '--hard', common);
  commit({ 'a.txt': 'after' });
  expect(findBase(before, folder)).toEqual({
    revision: common,
    note: `The working tree isn't based on ${before.slice(0, 7)}. It is compared with ${common.slice(0, 7)}, the last commit that both have.`,
  });
  expect(findBase('other', folder).note).toMatch(/^The working tree isn't based on other\./);
});

test('nothing, if the histories have nothing in common', () => {
  const { folder, git, commit } = makeRepository();
  const other = commit({ 'a.txt': '' });
  git('checkout', '--quiet', '--orphan', 'new');
  commit({ 'b.txt': '' });
  expect(findBase(other, folder)).toEqual({
    revision: undefined,
    note: `The working tree has no commit in common with ${other.slice(0, 7)}. ${EMPTY}`,
  });
});

test('a misspelt name is a fault', () => {
  const { folder, commit } = makeRepository();
  commit({ 'a.txt': '' });
  for (const name of ['mian', '--all', 'abc1234'])
    expect(() => findBase(name, folder)).toThrow(`git knows no revision "${name}"`);
});

test('a file that the revision does not have is undefined', () => {
  const { folder, commit } = makeRepository();
  expect(fileAt({ revision: commit({ 'a.txt': '' }) }, 'b.txt', folder)).toBeUndefined();
});
