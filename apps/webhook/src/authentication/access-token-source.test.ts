import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { asAnotherUser } from '../../test/as-another-user.js';
import { recordLog } from '../../test/record-log.js';
import { ReceiverError } from '../errors.js';
import { createTokenMatcher, openAccessTokens, readAccessTokensFile } from './access-token-source.js';

const { jest } = import.meta;

const RELOADED = 'access tokens reloaded';
const NOT_RELOADED = 'access tokens not reloaded; those read last stay';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The time comes at which the file is looked at. */
const look = (): void => jest.advanceTimersToNextTimer();

function open(text: string) {
  const file = join(makeFolder(), 'tokens');
  chmodSync(dirname(file), 0o755);
  writeFileSync(file, text);
  const log = recordLog();
  const opened = openAccessTokens(
    { ACCESS_TOKENS: undefined, ACCESS_TOKENS_FILE: file },
    log.logger,
    createTokenMatcher(undefined),
  );
  afterThisTest(opened.close);
  const accepts = (...tokens: readonly string[]): boolean[] =>
    tokens.map((token) => opened.tokens.includes(token));
  return { file, log, opened, accepts };
}

test('accepts the tokens of the configuration', () => {
  const { tokens, close } = openAccessTokens(
    { ACCESS_TOKENS: ['one', 'two'], ACCESS_TOKENS_FILE: undefined },
    recordLog().logger,
    createTokenMatcher(undefined),
  );
  close();

  expect(tokens).toEqual(['one', 'two']);
});

test('accepts the tokens of the file, and those after a change', () => {
  const { file, log, accepts } = open('one-secret\n');
  expect(accepts('one-secret', 'two-secret')).toEqual([true, false]);

  writeFileSync(`${file}.new`, 'two-secret\nthree-secret\n');
  renameSync(`${file}.new`, file);

  look();
  expect(log.lines).toMatchObject([{ level: 'info', msg: RELOADED, file, count: 2 }]);
  expect(accepts('one-secret', 'two-secret', 'three-secret')).toEqual([false, true, true]);
  expect(log.text()).not.toContain('secret');
});

test('a relative path is that of the start, wherever the process goes', () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'tokens'), 'one-secret\n');
  const file = relative('', join(folder, 'tokens'));
  const before = process.cwd();
  afterThisTest(() => process.chdir(before));
  const log = recordLog();
  const opened = openAccessTokens(
    { ACCESS_TOKENS: undefined, ACCESS_TOKENS_FILE: file },
    log.logger,
    createTokenMatcher(undefined),
  );
  afterThisTest(opened.close);

  process.chdir('/');
  writeFileSync(join(folder, 'tokens'), 'two-secret\n');
  look();

  expect(log.lines).toMatchObject([{ msg: RELOADED, file: join(folder, 'tokens') }]);
  expect(opened.tokens).toEqual(['two-secret']);
});

test('notices a second change at the same moment that leaves the size as it was', () => {
  const { file, accepts } = open('one-secret\n');
  // Both have the same times on a file system whose clock ticks every few milliseconds.
  writeFileSync(file, 'two-secret\n');

  look();
  expect(accepts('one-secret', 'two-secret')).toEqual([false, true]);
});

test('accepts no part of a token while the file is being written', () => {
  const { file, accepts } = open('one-secret\n');
  const text = '# arbitrary\ntwo-secret\nthree-secret\n';
  for (let length = 0; length < text.length; length += 1) {
    writeFileSync(`${file}.new`, text.slice(0, length));
    const { tokens } = readAccessTokensFile(`${file}.new`, createTokenMatcher(undefined));
    if (tokens instanceof ReceiverError) expect(tokens.code).toBe('ACCESS_TOKENS_UNREADABLE');
    else expect(['two-secret', 'three-secret']).toEqual(expect.arrayContaining([...tokens]));
  }

  writeFileSync(file, 'two-se');
  look();
  expect(accepts('one-secret', 'two-se')).toEqual([true, false]);
  appendFileSync(file, 'cret\n');
  look();
  expect(accepts('one-secret', 'two-se', 'two-secret')).toEqual([false, false, true]);
});

test.each<[string, (file: string) => void]>([
  ['has something else', (file) => writeFileSync(file, 'no secret at all\n')],
  ['is empty', (file) => writeFileSync(file, '')],
  ['has a last line without an end', (file) => writeFileSync(file, 'two-secret\nthree')],
  ['is gone', (file) => rmSync(file)],
  ['is a folder', (file) => (rmSync(file), mkdirSync(file))],
  ['is for another user', (file) => chmodSync(file, 0)],
  ['is in a folder of another user', (file) => chmodSync(dirname(file), 0)],
])('while the file %s, keeps accepting what it read last, and says so', (_name, change) => {
  const { file, log, opened, accepts } = open('one-secret\n');
  expect(opened.areCurrent).toBe(true);
  change(file);

  asAnotherUser(look);
  expect(log.lines).toMatchObject([
    { level: 'error', msg: NOT_RELOADED, err: { code: 'ACCESS_TOKENS_UNREADABLE' } },
  ]);
  expect(opened.areCurrent).toBe(false);
  expect(accepts('one-secret', 'secret', 'two-secret')).toEqual([true, false, false]);
  expect(log.text()).not.toContain('secret');

  chmodSync(dirname(file), 0o755);
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, 'two-secret\n');
  asAnotherUser(look);
  expect(opened.areCurrent).toBe(true);
  expect(accepts('one-secret', 'two-secret')).toEqual([false, true]);
});

test('logs once that the file cannot be read, however often it tries', () => {
  const { file, log } = open('one-secret\n');
  rmSync(file);
  for (let times = 0; times < 3; times += 1) look();
  writeFileSync(file, 'four-secret\n');
  for (let times = 0; times < 3; times += 1) look();
  rmSync(file);
  for (let times = 0; times < 3; times += 1) look();

  expect(log.lines.map(({ msg }) => msg)).toEqual([NOT_RELOADED, RELOADED, NOT_RELOADED]);
});
