import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

import { afterThisTest } from '@plant-store/test-support';

const MODULE = new URL('bound-output.ts', import.meta.url).href;

/** Writes 400 MB with whatever writes, to a reader that never reads, and says on the other stream how large it is then. */
const program = (write: string, other: string): string => `
  import { writeSync } from 'node:fs';
  const { boundOutput } = await import(${JSON.stringify(MODULE)});
  boundOutput(process.stdout);
  boundOutput(process.stderr);
  let called = 0;
  for (let written = 0; written < 4_000; written += 1) {
    const line = Buffer.alloc(100_000, 'a').toString();
    ${write};
    if (written % 100 === 0) await new Promise(setImmediate);
  }
  await new Promise(setImmediate);
  const { rss } = process.memoryUsage();
  writeSync(${other}, JSON.stringify({ megabytes: Math.round(rss / 1e6), called }));
  process.kill(process.pid, 'SIGKILL');
`;

test.each([
  { write: 'console.log(line)', stalls: 'stdout' },
  { write: 'process.stdout.write(line, () => (called += 1))', stalls: 'stdout', calls: true },
  { write: 'console.error(line)', stalls: 'stderr' },
] as const)('$write to a reader that stalls keeps 4 MiB', async ({ write, stalls, ...given }) => {
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', '--input-type=module'],
      '--eval',
      program(write, stalls === 'stdout' ? '2' : '1'),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  afterThisTest(() => child.kill('SIGKILL'));
  const said = await text(stalls === 'stdout' ? child.stderr : child.stdout);

  const { megabytes, called } = JSON.parse(said) as { megabytes: number; called: number };
  expect(megabytes).toBeLessThan(250);
  if ('calls' in given) expect(called).toBeGreaterThan(3_900);
});
