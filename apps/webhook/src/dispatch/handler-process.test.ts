import { afterThisTest } from '@plant-store/test-support';

import { recordLog } from '../../test/record-log.js';
import { rejection } from '../../test/rejection.js';
import type { Delivery } from '../inbox/inbox.js';
import { Attempt } from './handler-host.js';
import { HandlerProcess } from './handler-process.js';

const DELIVERY: Delivery = {
  ...{ id: 1, receivedAt: 0, failures: 0, suspect: false, method: 'POST' },
  ...{ mediaType: null, contentEncoding: null, eventId: null, fields: [], content: Buffer.from('arbitrary') },
};

/** The compiled program isn't beside the source: each process ends at once, before it is ready. */
test("the end of a process that isn't ready is no failure of an attempt that waits for it", async () => {
  const log = recordLog();
  const host = new HandlerProcess(log.logger);
  const attempt = new Attempt();
  const failure = rejection(Promise.resolve(host.run(DELIVERY, attempt)));
  host.start(() => undefined);
  afterThisTest(() => host.stop(AbortSignal.abort()));
  await log.line("the handler's process ended; it starts again");
  attempt.abort('the receiver is stopping');

  expect(await failure).toEqual(new Error('the receiver is stopping'));
});
