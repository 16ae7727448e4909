import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { ROOT } from './scenario/run-program.js';
import { cloneRepository } from './clone.js';
import { readGuide } from './read-guide.js';

const guide = readGuide(readFileSync(join(ROOT, 'docs/answering.md'), 'utf8'));

let clone: string;
let port: number;

beforeAll(async () => {
  clone = cloneRepository();
  port = await freePort();
}, 60_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

test('begins with what a fresh clone needs', () => {
  expect(guide.map(({ isSetup }) => isSetup)).toEqual([true, ...guide.slice(1).map(() => false)]);
});

test.each(guide.slice(1).map((block) => [block.commands.split('\n')[0], block] as const))(
  '%s',
  (_first, { commands, fails, shows }) => {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-euc', commands.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)],
      {
        cwd: clone,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
        env: environment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const output = stdout + stderr;
    expect({ fails: status !== 0, output }).toEqual({ fails, output });
    for (const line of shows) expect(output).toContain(line);
  },
  300_000,
);

/** The variables of a terminal, without those of this test run. Nx starts no daemon. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    NX_DAEMON: 'false',

    PORT: String(port),
    OPERATIONS_PORT: '0',
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
