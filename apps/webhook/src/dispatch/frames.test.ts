import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';
import type { Delivery } from '@plant-store/handler';

import { recordLog } from '../../test/record-log.js';
import { DescribedError } from '../logging/describe-error.js';
import { RunningAttempt } from './attempt.js';
import { openHandler } from './open-handler.js';

const LIBRARY = 'exports.cut = () => { throw new Error("no"); }';

/** The lines of the stack that is kept of an attempt of a handler with this code. */
async function stackOf(name: string, code: string): Promise<string[]> {
  const folder = makeFolder();
  for (const [path, text] of [
    ['node_modules/roses/index.js', LIBRARY],
    [name, code],
  ] as const) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const handler = await openHandler(join(folder, name), recordLog().logger, 'file:arbitrary', 'arbitrary');
  const delivery = { id: 1, attempts: 1, startedAt: 1, content: Buffer.from('') } as unknown as Delivery;
  try {
    await new RunningAttempt(delivery, handler).run();
    throw new Error('it has not failed');
  } catch (error) {
    const lines = new DescribedError(error).stack?.split('\n') ?? [];
    return (
      lines
        // Node 20 has some of its own once anything in the process has used AsyncLocalStorage.
        .filter((line) => !line.includes('node:internal'))
        .map((line) =>
          line
            .trim()
            .replace(/^at (?:async )?(?:Object\.)?/, '')
            .replace(/(?<!\S)\S*[/\\]([^/\\:]+):\d+:\d+\)?$/, '$1'),
        )
    );
  }
}

describe('the stack of a failed attempt ends where the handler was called:', () => {
  test.each<[name: string, file: string, code: string, stack: string[]]>([
    [
      'thrown at once',
      'a.mjs',
      'export default function handle() { throw new Error("no"); }',
      ['Error: no', 'handle a.mjs'],
    ],
    [
      'thrown later',
      'a.mjs',
      `const look = async () => { await null; throw new Error("no"); };
      export default async function handle() { await look(); }`,
      ['Error: no', 'look a.mjs', 'handle a.mjs'],
    ],
    [
      'of CommonJS',
      'a.cjs',
      'module.exports = function handle() { throw new Error("no"); }',
      ['Error: no', 'handle a.cjs'],
    ],
    [
      'of a class',
      'a.mjs',
      'export default class Plants { async handle() { throw new Error("no"); } }',
      ['Error: no', 'Plants.handle a.mjs'],
    ],
    [
      'with a cause',
      'a.mjs',
      `const look = () => { throw new Error("inner"); };
      export default async function handle() { try { look(); } catch (cause) { throw new Error("no", { cause }); } }`,
      [
        'Error: no, caused by Error: inner',
        'handle a.mjs',
        'caused by Error: inner',
        'look a.mjs',
        'handle a.mjs',
      ],
    ],
    [
      'of a library',
      'a.cjs',
      'module.exports = function handle() { require("roses").cut(); }',
      ['Error: no', 'exports.cut index.js', 'handle a.cjs'],
    ],
    [
      'in a file that is called as the one that calls it',
      'src/dispatch/attempt.js',
      'module.exports = function handle() { throw new Error("no"); }',
      ['Error: no', 'handle attempt.js'],
    ],
  ])('%s', async (_name, file, code, stack) => {
    expect(await stackOf(file, code)).toEqual(stack);
  });

  test('there is none of an attempt that took too long', () => {
    const attempt = new RunningAttempt({} as Delivery, {
      handle: () => undefined,
      logger: recordLog().logger,
    });
    const { signal } = attempt;
    attempt.abort('the handler took longer than 1 ms');

    const { text, stack } = new DescribedError(signal.reason);
    expect([text, stack]).toEqual(['Error: the handler took longer than 1 ms', null]);
  });
});
