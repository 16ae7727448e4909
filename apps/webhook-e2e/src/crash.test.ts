import { makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { ask } from '../support/operations.js';
import { poisonSettings, sendAll } from '../support/poison.js';
import { soon } from '../support/port.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

/** State and attempts of each delivery. */
const resultsOf = ({ inbox }: RunningReceiver): unknown[][] =>
  readInbox(inbox).map(({ state, attempts }) => [state, attempts]);

/** Waits until the last delivery is handled. */
async function untilLastIsHandled({ inbox }: RunningReceiver): Promise<void> {
  while (readInbox(inbox).at(-1)?.state !== 'handled') await soon();
}

test('what a crash has interrupted comes again at once, and keeps nothing else from the handler', async () => {
  const options = { folder: makeFolder(), settings: { ...poisonSettings, HANDLER_CONCURRENCY: '3' } };
  const first = await startReceiver(options);
  await sendAll(first, ['wait for ever 1', 'wait for ever 2']);
  await first.process.logged('attempt', 2);
  await first.process.kill();

  const second = await startReceiver(options);
  await sendAll(second, ['arbitrary']);
  await untilLastIsHandled(second);
  await second.process.logged('attempt', 3);
  expect(resultsOf(second)).toEqual([
    ['running', 2],
    ['running', 2],
    ['handled', 1],
  ]);
  expect(JSON.parse((await ask(second.inbox, '/deliveries/1')).content)).toMatchObject({
    history: [{ number: 1, error: 'the process ended during the attempt', duration: null }],
  });
});
