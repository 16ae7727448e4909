import { makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { ask } from '../support/operations.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
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

test('a replay that SIGKILL interrupts goes on at the next start, and its row says what happened', async () => {
  const count = 1_500;
  const options = { folder: makeFolder(), settings: poisonSettings };
  const first = await startReceiver(options);
  await sendAll(
    first,
    Array.from({ length: count }, () => 'arbitrary'),
  );
  await untilNothingWaits(first.inbox);
  await ask(first.inbox, '/handler/pause', 'POST');
  const replay = { kind: 'replay', filter: { state: 'handled' }, operator: 'ada', reason: 'it was wrong' };
  const begun = await ask(first.inbox, '/acts', 'POST', replay);
  await first.process.kill();
  expect(JSON.parse(begun.content)).toMatchObject({ id: 2, selected: count, endedAt: null });

  const second = await startReceiver(options);
  const act = async (): Promise<unknown> => JSON.parse((await ask(second.inbox, '/acts/2')).content);
  while (((await act()) as { endedAt: number | null }).endedAt === null) await soon();

  expect(await act()).toMatchObject({ operator: 'ada', changed: count, handled: 0, waiting: count });
  expect(resultsOf(second)).toEqual(Array.from({ length: count }, () => ['waiting', 0]));
});
