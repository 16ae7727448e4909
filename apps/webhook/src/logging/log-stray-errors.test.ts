import { spawnSync } from 'node:child_process';

const MODULES = ['logger.ts', 'log-stray-errors.ts'].map((name) => new URL(name, import.meta.url).href);

/** Runs code beside the log. Returns the exit code and the lines. */
function run(code: string): { status: number | null; lines: unknown[] } {
  const program = `
    import { writeSync } from 'node:fs';
    const [{ createLogger }, { logStrayErrors }] = await Promise.all(${JSON.stringify(MODULES)}.map((url) => import(url)));
    logStrayErrors(createLogger('info', { write: (line) => writeSync(1, line) }));
    ${code}
    setTimeout(() => { throw new Error('on purpose'); });
    setTimeout(() => process.exit(0), 100);`;
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', program],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
  );
  return {
    status,
    lines: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown),
  };
}

test.each<[name: string, code: string, status: number, level: string, msg: string]>([
  ['if nothing listens to it', '', 1, 'fatal', 'uncaught exception; the process ends'],
  [
    'and not if something does',
    "process.on('uncaughtException', () => undefined);",
    0,
    'error',
    'uncaught exception; what listens to it decides whether the process ends',
  ],
  [
    'and not if something catches it',
    'process.setUncaughtExceptionCaptureCallback(() => undefined);',
    0,
    'error',
    'uncaught exception; what listens to it decides whether the process ends',
  ],
])(
  'after an uncaught exception the process ends, %s, and the log says so',
  (_name, code, status, level, msg) => {
    expect(run(code)).toEqual({ status, lines: [expect.objectContaining({ level, msg })] });
  },
);
