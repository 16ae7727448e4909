import { execFile } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterThisFile, afterThisTest, makeFolder } from '@plant-store/test-support';

import {
  copyWorkspace,
  DevelopmentProcess,
  makeWorkspace,
  SERVE,
  standIn,
  terminal,
} from '../support/development.js';

const run = promisify(execFile);

/** A workspace that `npm start` has compiled, and what it printed. */
let first: Promise<{ folder: string; stdout: string }> | undefined;

async function compile(): Promise<{ folder: string; stdout: string }> {
  const folder = makeWorkspace(standIn.receiver('first'), makeFolder(afterThisFile));
  const served = DevelopmentProcess.start(folder);
  await served.printed(/^The types are checked/);
  await served.stop();
  return { folder, stdout: served.stdout };
}

/** Copies the compiled workspace. */
async function compiled(): Promise<string> {
  first ??= compile();
  return copyWorkspace((await first).folder);
}

/** Serves a copy of the compiled workspace. */
async function serveCompiled(): Promise<{ folder: string; served: DevelopmentProcess; url: string }> {
  const folder = await compiled();
  const served = DevelopmentProcess.start(folder);
  return { folder, served, url: await served.listening() };
}

const change = (folder: string, source: string): void => writeFileSync(join(folder, standIn.file), source);

/** Editors save like this, so that the file is always whole. */
function replace(folder: string, source: string): void {
  const file = join(folder, standIn.file);
  writeFileSync(`${file}~`, source);
  renameSync(`${file}~`, file);
}

const buildAt = async (url: string): Promise<string> => (await fetch(url)).text();

describe('a receiver that cannot start', () => {
  test.each([
    { code: 3, want: 3 },
    { code: 0, want: 1 },
  ])('it ends with $code before it listens: npm start ends with $want', async ({ code, want }) => {
    const folder = makeWorkspace(standIn.failing(code));

    const served = DevelopmentProcess.start(folder);

    expect(await served.exit).toEqual({ code: want, signal: null });
    expect(served.stderr).toBe('wrong on purpose\n');
  });
});

describe('progress', () => {
  test('it says that it compiles and starts, after how long the receiver is live, and what the types are', async () => {
    await compiled();

    const { stdout } = (await first)!;
    expect(stdout).toMatch(/^Compiling and starting the receiver\.\.\.\n/);
    expect(stdout).toMatch(/^The receiver: live after \d+\.\d s\.$/m);
    expect(stdout).toMatch(/^The types are checked: no errors\.$/m);
  });

  test.each([
    { how: 'writes the file', save: change },
    { how: 'replaces the file', save: replace },
  ])(
    'after a change by an editor that $how, the new build takes over once, and one line says so',
    async ({ save }) => {
      const { folder, served } = await serveCompiled();

      for (const [index, build] of ['second', 'third'].entries()) {
        save(folder, standIn.receiver(build));
        expect(await buildAt(await served.listening(2 + index))).toBe(build);
        await served.printed(/^apps\/webhook\/src\/main\.ts: live after \d+\.\d s\.$/, 1 + index);
      }

      expect(served.stdout.match(/: live after /g)).toHaveLength(3);
    },
  );

  test('a type error is printed, and holds nothing up', async () => {
    const folder = makeWorkspace(standIn.mistyped('first'));
    const served = DevelopmentProcess.start(folder);

    expect(await buildAt(await served.listening())).toBe('first');
    await served.printed(/^The types are checked: errors: 1\. The receiver runs all the same\.$/);
    expect(served.stderr).toMatch(/^apps\/webhook\/src\/main\.ts\(1,14\): error TS2322: /m);
    // tsc begins to watch after it has said what it found, and nothing tells when.
    const fixed = served.printed(/^The types are checked: no errors\.$/);
    for (let build = 1, found; found === undefined; build += 1) {
      change(folder, standIn.receiver(`fixed ${build}`));
      found = await Promise.race([fixed, setTimeout(1_000)]);
    }
  });

  test('after a fault of syntax, the previous build still runs', async () => {
    const { folder, served, url } = await serveCompiled();

    change(folder, standIn.broken);
    await served.printed(/^The receiver starts again when this is fixed\.$/);

    expect(served.stderr).toContain('export const broken = ;');
    expect(await buildAt(url)).toBe('first');
    change(folder, standIn.receiver('second'));
    expect(await buildAt(await served.listening(2))).toBe('second');
  });

  test('after a fault of syntax at the first start it waits for the fix', async () => {
    const folder = makeWorkspace(standIn.broken);
    const served = DevelopmentProcess.start(folder);

    await served.printed(/^The receiver starts again when this is fixed\.$/);
    expect(served.stderr).toBe(
      [
        '  x Expression expected',
        '   ,-[apps/webhook/src/main.ts:1:1]',
        ' 1 | export const broken = ;',
        '   :                       ^',
        '   `----',
        'The receiver starts again when this is fixed.',
        '',
      ].join('\n'),
    );
    change(folder, standIn.receiver('first'));

    expect(await buildAt(await served.listening())).toBe('first');
  });
});

describe('what tsc has built', () => {
  test('is right after npm start, whatever was saved meanwhile', async () => {
    const { folder, served } = await serveCompiled();
    const built = join(folder, 'apps/webhook/dist/main.js');
    change(folder, standIn.receiver('second'));
    await served.listening(2);
    await served.stop();
    change(folder, standIn.receiver('first'));

    await run(
      process.execPath,
      ['node_modules/typescript/bin/tsc', '--build', 'apps/webhook/tsconfig.build.json'],
      {
        cwd: folder,
      },
    );

    expect(readFileSync(built, 'utf8')).toContain("'first'");
  });

  test('is there in a fresh clone as soon as the commands are printed', async () => {
    const folder = makeWorkspace(standIn.receiver('first'));
    const served = DevelopmentProcess.start(folder);
    await served.printed(/npx plant-store send/);

    for (const file of [
      'apps/webhook/dist/main.js',
      'libs/contract/dist/answers.js',
      'libs/sdk/dist/index.js',
    ])
      expect(existsSync(join(folder, file))).toBe(true);
  });
});

describe('a receiver that has listened and ends', () => {
  test('after each crash it starts again by itself', async () => {
    const { served, url } = await serveCompiled();

    await fetch(`${url}crash`);
    await served.printed(/^The receiver crashed \(exit code 1\)\. It starts again in 1 s\.$/);
    const next = await served.listening(2);
    expect(await buildAt(next)).toBe('first');
    await fetch(`${next}crash`);

    expect(await buildAt(await served.listening(3))).toBe('first');
  });

  test('its stack trace names the line of the source', async () => {
    const { folder, served, url } = await serveCompiled();
    const source = readFileSync(join(folder, standIn.file), 'utf8').split('\n');
    const line = source.findIndex((text) => text.includes('throw new Error')) + 1;

    await fetch(`${url}crash`);

    const [trace] = await served.printed(/at crash .*/);
    expect(trace).toContain(`${standIn.file}:${line}:`);
  });

  test('it starts again on the same ports, also if the system chose them', async () => {
    const { folder, served, url } = await serveCompiled();

    change(folder, standIn.receiver('second'));
    expect(await served.listening(2)).toBe(url);
    await fetch(`${url}crash`);

    expect(await served.listening(3)).toBe(url);
  });

  test('a change after which it cannot start: it waits for the next change', async () => {
    const { folder, served } = await serveCompiled();

    change(folder, standIn.failing(1));
    await served.printed(/^The receiver did not start\. It starts again when the source is changed\.$/);
    change(folder, standIn.receiver('second'));

    expect(await buildAt(await served.listening(2))).toBe('second');
  });
});

describe('no process outlives npm start', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s: all end, and the exit code is 0',
    async (signal) => {
      const { served } = await serveCompiled();

      // Of one Ctrl+C, npm passes on what the terminal sends to it, too.
      for (const each of [signal, 'SIGINT', 'SIGTERM'] as const) served.signal(each);

      expect(await served.exit).toEqual({ code: 0, signal: null });
    },
  );

  // The compiler and the receiver write to the same standard error, so `exit` waits for them.
  test('SIGKILL: the compiler and the receiver end', async () => {
    const { served, url } = await serveCompiled();

    expect(await served.kill()).toEqual({ code: null, signal: 'SIGKILL' });

    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  test('SIGKILL of the process that started it: all end', async () => {
    const program = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })`;
    const served = new DevelopmentProcess([process.execPath, '-e', program, join(SERVE, 'serve.mjs')], {
      folder: await compiled(),
      environment: terminal(),
    });
    afterThisTest(() => served.kill());
    const url = await served.listening();

    await served.kill();

    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
