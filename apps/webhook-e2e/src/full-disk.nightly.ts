import { platform } from 'node:os';

import { makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

/** 512 KiB. The kernel refuses to write more with EFBIG, as it does with ENOSPC on a full disk. */
const MAX_FILE_BLOCKS = 1_024;

const onLinux = platform() === 'linux' ? describe : describe.skip;

onLinux('an inbox that cannot grow', () => {
  test.each([
    ['the write-ahead log cannot grow', MAX_FILE_BLOCKS],
    // The write-ahead log begins again at the start when it has 8 MiB.
    ['the database file cannot grow', 20 * MAX_FILE_BLOCKS],
  ])(
    '%s: 503, the receiver stays up, and the inbox has exactly the acknowledged deliveries',
    async (_what, maxFileBlocks) => {
      const folder = makeFolder();
      const receiver = await startReceiver({ folder, maxFileBlocks });
      const load = new Load();
      await load.send(openSender(receiver), 4, () => load.refused.size < 20);
      expect(load.acknowledged.size).toBeGreaterThan(0);
      expect(new Set(load.refused.values())).toEqual(new Set([503]));
      expect(load.unknown).toEqual(new Set());
      expectExactly(receiver, load);
      expect(await receiver.process.logged('a delivery was not accepted')).toMatchObject({
        status: 503,
        err: { code: 'INBOX_WRITE_FAILED' },
      });
      await receiver.process.kill();

      const next = await startReceiver({ folder });
      expectExactly(next, load);
    },
  );
});

/** Compares the inbox with what the sender saw: every acknowledged delivery once, byte for byte, and no other. */
function expectExactly({ inbox }: RunningReceiver, { acknowledged }: Load): void {
  const names = readInbox(inbox).map(({ content }) => nameOf(content));
  expect(names.sort()).toEqual([...acknowledged].sort());
}
