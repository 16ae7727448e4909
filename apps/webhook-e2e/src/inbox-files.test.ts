import { statSync } from 'node:fs';
import { join } from 'node:path';

import { keepReading } from '../support/inbox.js';
import { sendAll } from '../support/poison.js';
import { startReceiver } from '../support/receiver.js';

const MEBIBYTE = 1_048_576;

test('the write-ahead log shrinks again after somebody has read while much was written', async () => {
  const receiver = await startReceiver();
  const sizeOfLog = (): number => statSync(join(receiver.inbox, 'inbox.sqlite-wal')).size;
  const large = 'a'.repeat(MEBIBYTE - 1);
  const stopReading = keepReading(receiver.inbox);
  while (sizeOfLog() < 40 * MEBIBYTE) await sendAll(receiver, Array<string>(8).fill(large));
  stopReading();

  while (sizeOfLog() > 20 * MEBIBYTE) await sendAll(receiver, ['small']);
});
