import { incoming } from '../../test/open-inbox.js';
import { plantInbox, plantInboxIn } from '../../test/run-plant-inbox.js';
import { runningInbox, stoppedInbox } from '../../test/serve-inbox.js';

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
