import { incoming } from '../../test/open-inbox.js';
import { plantInbox, plantInboxIn } from '../../test/run-plant-inbox.js';
import { runningInbox, stoppedInbox } from '../../test/serve-inbox.js';
import { UnseenIds } from './tail.js';

test('tail needs a receiver', async () => {
  const inbox = await stoppedInbox([]);

  expect(await plantInbox('tail', '--inbox', inbox)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'plant-inbox: No receiver has the inbox open, so nothing arrives. Start it, then run tail.\n',
  });
});

test('tail writes what arrives, and ends when it is interrupted', async () => {
  const { folder, inbox } = await runningInbox([['before']]);
  let arrived = 0;
  const tail = await plantInboxIn(
    {
      onWrite: (text, interrupt) => {
        if (text.startsWith('New deliveries follow.')) void inbox.accept(incoming('after'));
        arrived += text.startsWith('{') ? 1 : 0;
        if (arrived > 0) interrupt();
      },
    },
    ...['tail', '--inbox', folder],
  );

  expect(tail.result).toMatchObject({ code: 0, stderr: 'New deliveries follow. Ctrl-C ends this.\n' });
  expect(JSON.parse(tail.result.stdout)).toMatchObject({ id: 2, bytes: 5 });
});

test('ids that are missing are looked for, each until it is seen or is behind for too long', () => {
  let now = 0;
  const unseen = new UnseenIds(3, () => now);
  const take = (...ids: readonly number[]): boolean[] => ids.map((id) => unseen.take(id));

  expect(take(2, 5, 9, 5)).toEqual([false, true, true, false]);
  expect(unseen.first()).toBe(3);
  now = 30_000;
  expect(take(3, 12, 7)).toEqual([true, true, true]);
  expect(unseen.first()).toBe(4);
  now = 60_001;
  expect(unseen.first()).toBe(10);
  expect(take(4, 11, 10, 13)).toEqual([false, true, true, true]);
  expect(unseen.first()).toBe(14);
});
