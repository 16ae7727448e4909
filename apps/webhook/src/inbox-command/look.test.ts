import { headText } from './look.js';

const T = Date.parse('2026-11-22T09:30:00.5Z');

test('the head of a delivery has its failed attempts and the last stack', () => {
  const attempt = { startedAt: T, receiver: 'host 1', error: 'Error: first', stack: 'not shown' };

  const text = headText({
    id: 4,
    state: 'waiting',
    receivedAt: T,
    startedAt: T + 1_000,
    replayedAt: null,
    endedAt: T + 2_000,
    attempts: 2,
    error: 'Error: second\u001b',
    dueAt: T + 3_000,
    reason: null,
    eventId: 'event',
    method: 'POST',
    mediaType: 'text/plain',
    contentEncoding: 'gzip',
    bytes: 3,
    fields: [['X-Any', 'arbitrary']],
    content: 'YWJj',
    history: [
      { ...attempt, number: 1, duration: 12 },
      {
        ...attempt,
        number: 2,
        duration: null,
        error: 'Error: second\u001b',
        stack: 'Error: second\n  at\u001b',
      },
    ],
  });

  expect(text).toBe(`id          4
state       waiting
received    2026-11-22T09:30:00.500Z
attempts    2
last began  2026-11-22T09:30:01.500Z
last ended  2026-11-22T09:30:02.500Z
error       Error: second\\u001b
due         2026-11-22T09:30:03.500Z
event       event
method      POST
media type  text/plain
encoding    gzip
bytes       3

FAILED  BEGAN                 TOOK     RECEIVER  ERROR
     1  2026-11-22T09:30:00Z  12 ms    host 1    Error: first
     2  2026-11-22T09:30:00Z  cut off  host 1    Error: second\\u001b

Error: second
  at\\u001b

X-Any:  arbitrary
`);
});
