import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@plant-store/test-support';
import { shells } from '../src/completion.js';
import { run } from './support/run.js';

const wordsFor = async (...words: readonly string[]): Promise<string[]> =>
  (await run(['completion', '--words', '--', ...words])).stdout.split('\n').slice(0, -1);

test.each([
  [['s'], ['send']],
  [
    ['outbox', ''],
    ['migrate', 'status', 'list', 'show', 'replay', 'discard'],
  ],
  [['send', 'file', '--re'], ['--retry']],
  [
    ['send', '--method', 'P'],
    ['POST', 'PUT', 'PATCH'],
  ],
  [['send', '--base-url', ''], []],
  [['send', ''], []],
  [['completion', ''], shells],
])('after %j come %j', async (words, offered) => {
  expect(await wordsFor(...words)).toEqual(offered);
});

test('a shell without a script is refused', async () => {
  expect(await run(['completion', 'csh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});

const bin = fileURLToPath(new URL('../bin/plant-store.js', import.meta.url));

/** What a shell offers, by a script that it runs with the completion script in `script`. */
async function offeredBy(shell: string, args: readonly string[]): Promise<string | undefined> {
  const path = makeFolder();
  mkdirSync(join(path, 'bin'));
  symlinkSync(bin, join(path, 'bin/plant-store'));
  writeFileSync(join(path, 'script'), (await run(['completion', shell])).stdout);
  const { stdout, error } = spawnSync(shell, args, {
    cwd: path,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(path, 'bin')}:${process.env['PATH']}` },
  });
  return error === undefined ? stdout : undefined;
}

test('bash offers them', async () => {
  const script = `. ./script; COMP_WORDS=(plant-store outbox re); COMP_CWORD=2; _plant_store; echo "$COMPREPLY"`;
  expect(await offeredBy('bash', ['-c', script])).toBe('replay\n');
});

test.each(['zsh', 'fish'])(
  'the script for %s can be parsed, where that shell is installed',
  async (shell) => {
    const check = shell === 'zsh' ? ['-f', '-n', 'script'] : ['--no-execute', 'script'];
    expect((await offeredBy(shell, check)) ?? '').toBe('');
  },
);
