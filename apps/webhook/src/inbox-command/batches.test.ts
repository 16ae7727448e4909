import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { incoming } from '../../test/open-inbox.js';
import { openSqliteInbox } from '../inbox/sqlite-inbox.js';
import { inBatches } from './batches.js';

test('an interrupt during the last part interrupts nothing, also if that part is full', async () => {
  const inbox = openSqliteInbox(makeFolder());
  afterThisTest(() => inbox.close());
  await Promise.all(Array.from({ length: 500 }, () => inbox.accept(incoming('arbitrary'))));

  const count = await inBatches(inbox, {}, { doing: 'Reading', done: 'read' }, async (batch) => {
    const { deliveries, next } = await inbox.read(batch);
    process.emit('SIGINT');
    return { count: deliveries.length, next };
  });

  expect(count).toBe(500);
});
