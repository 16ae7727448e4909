import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

import { cloneRepository } from '../src/answered/clone.js';

const CODE = 'libs/contract/src/answers.ts';
const OVERLAY = 'libs/contract/spec/answers.overlay.yaml';
const OPEN = `import type { Answers } from './answer-types.js';

export const answers = {} as const satisfies Answers;
`;

let clone: string;

beforeAll(() => {
  clone = cloneRepository();
  writeFileSync(join(clone, CODE), OPEN);
  rmSync(join(clone, OVERLAY), { force: true });
}, 300_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

function startAnswer(...args: readonly string[]) {
  const options = ['--question', 'http-method', '--who', 'A. Person', '--reason', 'Minutes', ...args];
  const answer = spawn(process.execPath, ['tools/workspace/answer.mjs', ...options], {
    cwd: clone,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = Promise.all([once(answer, 'close'), text(answer.stderr)]);
  return { answer, ended: ended.then(([[code], stderr]) => ({ code: code as unknown, stderr })) };
}

test('npm run answer sees an action that somebody wrote in another style', async () => {
  const action = '{ target: $, x-question: http-method, x-answer: PUT, x-answered-by: B, x-reason: r';
  mkdirSync(dirname(join(clone, OVERLAY)), { recursive: true });
  writeFileSync(
    join(clone, OVERLAY),
    `overlay: 1.0.0\nactions:\n  - ${action}, x-date: 2026-01-31 } # agreed\n`,
  );

  const { code, stderr } = await startAnswer('--value', 'PUT').ended;
  rmSync(join(clone, OVERLAY));

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('http-method has an answer already') as string,
  });
}, 300_000);

test('npm run answer that fails keeps what somebody writes into answers.ts meanwhile', async () => {
  const { answer, ended } = startAnswer('--value', 'PUT');
  const read = () => readFileSync(join(clone, CODE), 'utf8');
  while (!read().includes('PUT') && answer.exitCode === null) await setTimeout(10);
  appendFileSync(join(clone, CODE), '// By hand.\n');
  appendFileSync(join(clone, 'libs/contract/src/accepts.ts'), 'no TypeScript\n');

  const { code, stderr } = await ended;

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`${CODE} was changed meanwhile and is not put back`) as string,
  });
  expect(read()).toContain('// By hand.');
}, 300_000);
