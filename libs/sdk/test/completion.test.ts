import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exampleAnswers } from '@plant-store/example-answers';
import { makeFolder } from '@plant-store/test-support';
import { answeredSettingsOf } from '../src/answers/settings-table.js';
import { runCommand } from '../src/cli/command.js';
import { shells } from '../src/cli/completion.js';
import { sendOptionsUnder } from '../src/cli/send/send-options.js';

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], given = {}): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const context = {
    given,
    accepts: {},
    environment: {},
    signal: new AbortController().signal,
    stdout: { write: (text: string) => (printed.stdout += text) },
    stderr: { write: (text: string) => (printed.stderr += text) },
  };
  return { code: await runCommand(['completion', ...args], context as never), ...printed };
}

/** What each shell offers for a line, in a folder with the script, `plants.ndjson` and `token.txt`. */
const offers: { readonly [Shell in (typeof shells)[number]]: (line: string, folder: string) => string } = {
  bash: (line, cwd) => {
    const typed = `source ./script
      compopt() { COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); }
      COMP_WORDS=(${line}${line.endsWith(' ') ? "''" : ''}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _plant_store; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', typed], { cwd, encoding: 'utf8' });
  },
  zsh: (line, cwd) => {
    const program = fileURLToPath(new URL('fixtures/zsh-completions.zsh', import.meta.url));
    execFileSync('zsh', ['-f', program, line], { cwd });
    return existsSync(join(cwd, 'offered')) ? readFileSync(join(cwd, 'offered'), 'utf8') : '';
  },
  fish: (line, cwd) => {
    const typed = `source ./script; complete -C '${line}'`;
    // Each line has a description after a tab.
    return execFileSync('fish', ['--no-config', '-c', typed], { cwd, encoding: 'utf8' }).replaceAll(
      /\t.*/g,
      '',
    );
  },
};

function isInstalled(shell: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, shell)));
}

describe.each(shells)('the completion of %s', (shell) => {
  // .ci/run installs the shells.
  (isInstalled(shell) ? test.each : test.skip.each)([
    ['', 'completion outbox send'],
    ['se', 'send'],
    ['--', '--help --version'],
    ['completion ', 'bash fish zsh'],
    ['completion z', 'zsh'],
    ['completion bash ', ''],
    ['outbox ', 'discard list migrate replay status'],
    ['outbox mi', 'migrate'],
    ['outbox --', '--help'],
    ['outbox replay ', ''],
    ['outbox replay --', '--all --help'],
    ['outbox list --', '--help --json'],
    ['send pl', 'plants.ndjson'],
    ['send outbox m', ''],
    ['send plants.ndjson --resu', '--resume'],
    ['send --method P', 'PATCH POST PUT'],
    ['send --failed pl', 'plants.ndjson'],
    ['send --base-url pl', ''],
  ])('offers for "plant-store %s": %s', async (line, words) => {
    const folder = makeFolder();
    for (const name of ['plants.ndjson', 'token.txt']) writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, 'script'), (await run([shell])).stdout);

    const offered = offers[shell](`plant-store ${line}`, folder).split('\n').filter(Boolean);

    expect([...new Set(offered)].sort().join(' ')).toBe(words);
  });

  test('has every option', async () => {
    const { code, stdout } = await run([shell], exampleAnswers);

    expect(code).toBe(0);
    for (const option of sendOptionsUnder(answeredSettingsOf(exampleAnswers, {})).keys()) {
      expect(stdout).toContain(shell === 'fish' ? ` -l ${option} ` : `--${option}`);
    }
  });
});

test.each([[[]], [['csh']], [['bash', 'zsh']]])('plant-store completion %j names no shell', async (args) => {
  expect(await run(args)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'plant-store: Name one shell: plant-store completion bash|zsh|fish.\n',
  });
});

test('plant-store completion takes no options', async () => {
  expect(await run(['bash', '--foo'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--foo is not an option.'),
  });
});
