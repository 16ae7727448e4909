import { execFileSync } from 'node:child_process';
import { platform } from 'node:os';

import { makeFolder } from '../support/clean-up.js';
import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { delivery, head, HOST } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

/** 2 MiB: the kernel refuses to write beyond it with EFBIG, as it would with ENOSPC on a full disk. */
const MAX_FILE_BLOCKS = 4_096;

const onLinux = platform() === 'linux' ? describe : describe.skip;

onLinux('an inbox that cannot grow', () => {
  test.each([
    { what: 'its log', maxFileBlocks: MAX_FILE_BLOCKS },
    // SQLite moves its log into the file whenever it has grown to 4 MiB.
    { what: 'its file', maxFileBlocks: 5 * MAX_FILE_BLOCKS },
  ])(
    '$what: 503, and up; all that was acknowledged is there, and nothing else',
    async ({ maxFileBlocks }) => {
      const folder = makeFolder();
      const receiver = await startReceiver({ folder, maxFileBlocks });
      const load = await fill(receiver);

      expectHolds(receiver, load);
      const [logged] = receiver.process.entries('a delivery was not taken');
      expect(logged).toMatchObject({ status: 503, err: { code: 'INBOX_WRITE_FAILED' } });
      await expectResponses(receiver);

      expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
      expect(receiver.process.stderr).toBe('');
      const next = await startReceiver({ folder });
      expectHolds(next, load);
      await load.send(openSender(next), 4, times(100));
      expectHolds(next, load);
    },
  );

  test('the same after SIGKILL', async () => {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder, maxFileBlocks: MAX_FILE_BLOCKS });
    const load = await fill(receiver);

    await receiver.process.kill();
    const next = await startReceiver({ folder });

    expectHolds(next, load);
  });

  test('takes deliveries again, and writes down what was handled, as soon as there is room', async () => {
    const receiver = await startReceiver({ maxFileBlocks: MAX_FILE_BLOCKS });
    const load = await fill(receiver);
    const refused = load.refused.size;

    execFileSync('prlimit', [`--pid=${receiver.process.pid}`, '--fsize=unlimited:']);
    await load.send(openSender(receiver), 4, times(100));

    expect(load.refused.size).toBe(refused);
    expectHolds(receiver, load);
    expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
    expect(new Set(readInbox(receiver.inbox).map(({ state }) => state))).toEqual(new Set(['handled']));
  });
});

/** Sends until deliveries are refused, and some more. */
async function fill(receiver: RunningReceiver): Promise<Load> {
  const load = new Load();
  await load.send(openSender(receiver), 4, () => load.refused.size < 20);
  expect(load.acknowledged.size).toBeGreaterThan(0);
  expect(new Set(load.refused.values())).toEqual(new Set([503]));
  expect(load.unknown).toEqual(new Set());
  return load;
}

/** Holds the inbox to what its sender saw: no more, no less, each once and byte for byte. */
function expectHolds({ inbox }: RunningReceiver, { acknowledged }: Load): void {
  const names = readInbox(inbox).map(({ content }) => nameOf(content));
  expect(names.sort()).toEqual([...acknowledged].sort());
}

async function expectResponses({ port }: RunningReceiver): Promise<void> {
  const connection = await openConnection(port);
  connection.write(delivery('a'.repeat(150_000)));
  expectResponse(await connection.response(), { status: 503 });
  connection.write(head('GET / HTTP/1.1', HOST));
  expectResponse(await connection.response(), { status: 404 });
}

/** Says yes so many times. */
function times(count: number): () => boolean {
  let left = count;
  return () => left-- > 0;
}
