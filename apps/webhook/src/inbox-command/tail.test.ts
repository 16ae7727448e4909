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

describe('ids that were passed over', () => {
  const firsts = (unseen: UnseenIds): number[] => unseen.ranges.map(({ first }) => first);

  test('are looked for until each transaction has ended that may have taken them, and are shown once', () => {
    const unseen = new UnseenIds(3);
    const take = (...ids: readonly number[]): boolean[] => ids.map((id) => unseen.take(id));

    expect(take(2, 5, 9, 5)).toEqual([false, true, true, false]);
    expect(firsts(unseen)).toEqual([3, 6, 10]);
    // The transaction 70 began after the inbox was looked at, and took 6.
    unseen.forget({ oldest: 70, next: 70 });
    expect(firsts(unseen)).toEqual([3, 6, 10]);
    unseen.limit({ oldest: 70, next: 72 });
    expect(take(7, 4)).toEqual([true, true]);
    unseen.forget({ oldest: 71, next: 80 });
    expect(firsts(unseen)).toEqual([3, 6, 8, 10]);
    expect(take(6, 6, 12)).toEqual([true, false, true]);
    unseen.limit({ oldest: 72, next: 90 });
    unseen.forget({ oldest: 72, next: 90 });
    expect(firsts(unseen)).toEqual([10, 13]);
  });

  test('are forgotten at once where deliveries are stored in the order of their ids', () => {
    const unseen = new UnseenIds(1);
    unseen.take(4);
    unseen.forget();
    expect(firsts(unseen)).toEqual([5]);
  });
});
