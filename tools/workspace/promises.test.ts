import { readFileSync } from 'node:fs';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The tests of a promise: for each file, parts of their names. */
type Proof = Readonly<Record<string, readonly string[]>>;

/** The rows of docs/explanation/reliability.md, by their first words. */
const RELIABILITY: Readonly<Record<string, Proof>> = {
  Durable: {
    'tools/soak/src/faults.ts': [
      'SIGKILL while it works, starts and stops',
      'SIGKILL while an operator works',
      'disk that fails to flush',
    ],
    'apps/webhook/src/inbox/sqlite/sqlite-store.test.ts': ['what is accepted is flushed to the disk before'],
    'apps/webhook/test/inbox.suite.ts': ['returns what it accepted, unchanged:'],
    'apps/webhook/src/receiver.test.ts': [
      'the head of a delivery is stored without its credentials and the fields of its connection',
    ],
  },
  Refused: {
    'apps/webhook-e2e/src/wire.test.ts': ['a sender that disconnects in the middle: nothing is stored'],
    'apps/webhook-e2e/src/limits.test.ts': [
      'content that arrives after the 408 is not stored',
      '503, and nothing is stored; deliveries are accepted again when the others are complete',
    ],
    'apps/webhook/src/http/connection.test.ts': [
      'a sender that reads only when it has sent everything gets its response, though that takes seconds',
    ],
  },
  Disk: {
    'apps/webhook-e2e/src/full-disk.nightly.ts': [
      '503, the receiver stays up, and the inbox has exactly the acknowledged deliveries',
    ],
    'tools/soak/src/faults.ts': ['full disk'],
    'apps/webhook-e2e/src/disk.nightly.ts': [
      'nothing is acknowledged before a restart, and the receiver ends with one line and exit code 74',
    ],
    'apps/webhook/src/inbox/sqlite/sqlite-store.test.ts': [
      'when %s',
      'when nothing is written meanwhile',
      'is refused, and nothing is changed, until the log and its index are deleted',
      'is refused if the file %s',
      'when a page is damaged',
    ],
    'apps/webhook-e2e/src/lost-inbox.nightly.ts': [
      'when the database is removed, the receiver ends with one line and exit code 74',
      'a handler that copies the database in the receiver loses nothing that was acknowledged',
      'a copy that takes the place of the database after a crash is refused, and the whole folder in another place is not',
    ],
  },
  'At least once': {
    'apps/webhook/test/simulation/simulation.test.ts': ['the receiver keeps its promises whatever happens'],
    'apps/webhook/src/dispatch/dispatcher.test.ts': [
      'gets the delivery again',
      'is aborted, and the delivery comes again',
    ],
    'apps/webhook-e2e/src/crash.test.ts': [
      'what a crash has interrupted comes again at once, and keeps nothing else from the handler',
    ],
    'apps/webhook/test/inbox-retention.suite.ts': [
      'keeps its identifier longer: a repetition gets the id of the first one, and is not stored',
    ],
  },
  Parked: {
    'apps/webhook/src/dispatch/dispatcher.test.ts': ['every time is parked with its error'],
    'apps/webhook/src/dispatch/ending.test.ts': ['it is a fault to return'],
    'apps/webhook/test/inbox.suite.ts': [
      'does not come before it is due, also after an opening, and delays nothing',
    ],
  },
  Blocked: {
    'apps/webhook/test/simulation/simulation.test.ts': [
      'a delivery that ends its process is parked, and delays no other',
    ],
    'apps/webhook-e2e/src/handler.test.ts': [
      'a handler that blocks the event loop ends the process, and has failed',
      'a handler that blocks for a shorter time is left alone, and keeps back no response',
      'whatever a handler does in its promise, the delivery is handled or parked, and the receiver goes on',
    ],
  },
  Key: {
    'apps/webhook/test/inbox.suite.ts': ['draws a key for each delivery, which stays the same'],
    'apps/webhook/src/inbox/sqlite/back-up.test.ts': ['a restored inbox gives ids again, and no key'],
    'apps/webhook/src/inbox-command/save.test.ts': [
      'keeps the keys, also those of a delivery that comes twice',
    ],
  },
  Stop: {
    'apps/webhook-e2e/src/shutdown.test.ts': [
      'what was begun is acknowledged, everything else closes, new connections are refused, and the exit code is 0',
      'SHUTDOWN_TIMEOUT_MS ends a start that hangs',
      'with SHUTDOWN_DELAY_MS, deliveries are accepted as before, then each connection closes after its next response',
    ],
    'apps/webhook/src/dispatch/dispatcher.test.ts': [
      'aborts the attempts under way at the deadline: their deliveries come again after a restart, and have not failed',
    ],
    'apps/webhook-e2e/src/socket-activation.nightly.ts': [
      'restarts while deliveries come, and none is refused, reset or unknown',
    ],
  },
  Acts: {
    'apps/webhook/test/acts.suite.ts': [
      'that a crash interrupts goes on, and counts each delivery once',
      'keeps what became of its deliveries, whatever a later one or the retention does with them',
    ],
    'apps/webhook-e2e/src/crash.test.ts': [
      'a replay that SIGKILL interrupts goes on at the next start, and its row says what happened',
    ],
    'apps/webhook/src/inbox/sqlite/sqlite-store.test.ts': [
      'by discarding is in no file of the inbox any more',
    ],
  },
  Kept: {
    'apps/webhook/test/inbox-retention.suite.ts': [
      'deletes what was handled or discarded longer ago than its limit, and nothing else',
      'deletes the oldest that were handled, as many as necessary',
    ],
    'apps/webhook-e2e/src/plant-inbox.test.ts': [
      'backup copies everything that was acknowledged while more is, and a receiver starts with the copy',
    ],
    'apps/webhook-e2e/src/inbox-files.test.ts': [
      'a receiver handles what an inbox of an earlier version has, and keeps a backup of it',
    ],
    'apps/webhook-e2e/src/shutdown.test.ts': [
      'a start that brings an inbox to its version is alive meanwhile, ends at a signal, and leaves the inbox as it was',
    ],
  },
  Strangers: {
    'apps/webhook-e2e/src/strangers.test.ts': [
      'twenty strangers who pipeline thousands of requests: each is cut off, every delivery is acknowledged',
      '1,100 connections of one byte each, and 200 to the operations, with the fewest descriptors: every delivery is acknowledged',
    ],
    'apps/webhook-e2e/src/log.test.ts': [
      'a reader of the log that stalls stops no delivery and no orderly stop',
      'a reader of the log that goes away stops no delivery and no orderly stop',
    ],
    'apps/webhook-e2e/src/access-tokens.test.ts': [
      'the token file behind a symbolic link is reloaded when its folder is replaced, as in Kubernetes, and refuses nobody meanwhile',
    ],
  },
  Clock: {
    'apps/webhook-e2e/src/clock.nightly.ts': [
      'and is set forward while the receiver runs: new deliveries have its time, and none is deleted too early',
      'and is right again after a restart: what it has dated into the future alarms, and comes at once',
    ],
    'apps/webhook/test/inbox.suite.ts': [
      'comes after the next pass if it is due later than after the longest backoff: a clock was wrong',
    ],
    'apps/webhook-e2e/postgres/receivers.postgres.ts': [
      'the other one gets at once what the first has accepted whose clock is ahead',
    ],
  },
  'Shared inbox': {
    'apps/webhook-e2e/postgres/cluster.postgres.ts': [
      'lose no acknowledged delivery, and go on by themselves, whatever fails',
    ],
    'apps/webhook/test/postgres/receivers.postgres.ts': [
      'a commit waits for the standby whatever the database says, and without it counts as failed',
      'take over what one whose lease has ended was running, and its result changes nothing',
      'one whose connection was lost during a commit waits for that, and hands on what it stored, once',
    ],
    'apps/webhook-e2e/postgres/effects.postgres.ts': [
      'is there exactly once for each delivery, however often the receiver is killed and its connections end',
    ],
  },
  'Standing still': {
    'apps/webhook/test/postgres/receivers.postgres.ts': [
      'keep a result for later while somebody has its row locked, and store all others meanwhile',
      'run the next suspect while somebody has the first one locked',
      'hold no lease that lapsed while they stood still, and let nothing begin that they had claimed by it',
      'leave expired leases alone after an outage, until those had time to renew them',
      'take over nothing after a pause of the database that was shorter than their own lease',
    ],
    'apps/webhook-e2e/postgres/standing.postgres.ts': [
      'a receiver is stopped: it settles nothing that another one has taken over, and begins nothing of it',
      'the database is stopped: nothing runs twice',
    ],
  },
  Outbox: {
    'libs/sdk/test/postgres/kill-loop.postgres.ts': ['delivers every plant that was committed and no other'],
    'libs/sdk/test/postgres/enqueue.postgres.ts': [
      'shares the transaction of %s: its end, every byte, and its errors',
    ],
    'libs/sdk/test/postgres/relay.postgres.ts': [
      'sends again as the policy says, the same bytes',
      'shares the work with others',
      'parks what was not acknowledged after one attempt',
    ],
    'libs/sdk/test/postgres/cut-off.postgres.ts': ['what a killed relay had not begun is sent'],
    'libs/sdk/test/postgres/outage.postgres.ts': ['parks nothing while it responds with %i'],
  },
};

/** The defences of SECURITY.md, by their first words. */
const SECURITY: Readonly<Record<string, Proof>> = {
  'Nothing that a stranger sends': {
    'apps/webhook-e2e/src/limits.test.ts': [
      'wrong token → 401 before any content is sent',
      'content sent after a 401 is not read as a request',
    ],
  },
  'A token is read from one': {
    'apps/webhook/src/authentication/bearer-credentials.test.ts': [
      'a token is read only from a single Authorization with the bearer scheme and a b64token',
    ],
  },
  "Strangers can't use up the connections": {
    'apps/webhook-e2e/src/limits.test.ts': [
      'the oldest connection without a right token closes, and deliveries are accepted',
      'a flood of connections that send nothing does not close those with a right token',
    ],
  },
  "A stranger can't keep the receiver busy": {
    'apps/webhook-e2e/src/wire.test.ts': [
      'pipelined requests get their responses in order, until one is refused before its token is accepted',
    ],
    'apps/webhook/src/awkward-requests.test.ts': ['no request of 16 kB costs much more than a plain one'],
  },
  'Content that is too large': {
    'apps/webhook-e2e/src/memory.nightly.ts': [
      'endless content with $name is refused, and not kept in memory',
      'takes no more memory than other content',
    ],
    'apps/webhook-e2e/src/limits.test.ts': [
      'half of its content',
      'what a sender that stalls holds of MAX_CONTENT_BYTES_IN_FLIGHT is freed, though it keeps its side open',
    ],
  },
  "A refused request can't smuggle": {
    'apps/webhook/src/http/connection.test.ts': ['what follows a refused request is not processed'],
  },
  'A page of another site': {
    'apps/webhook/src/operations/listener.test.ts': [
      'POST with Origin %j gets 403 and changes nothing',
      'its GET of data gets 403 too, and no response allows it to read',
      'Host: %s gets 421, whatever it asks for',
    ],
  },
  'Only the user of the receiver': {
    'apps/webhook/src/operations/listener.test.ts': ['nobody else may connect, whatever the umask is'],
    'apps/webhook-e2e/src/other-users.test.ts': [
      'whatever the umask, only the owner may use what a receiver makes',
    ],
  },
  "Content can't act on the terminal": {
    'apps/webhook/src/inbox-command/printable.test.ts': [
      'JSON stays the same JSON, without what a terminal acts on',
    ],
  },
  'Neither receiver nor sender': {
    'apps/webhook-e2e/src/output.test.ts': ['no token is logged, even at level trace'],
    'libs/sdk/test/access-token.test.ts': ['not in the error of %s'],
    'libs/sdk/test/signing.test.ts': ['is printed neither with a sender nor with an error'],
    'libs/sdk/test/transport.test.ts': ['the key is in no fault and not in the sender'],
  },
  'A token file that is being written': {
    'apps/webhook/src/authentication/access-token-source.test.ts': [
      'accepts no part of a token while the file is being written',
    ],
  },
  'A token that is replaced': {
    'apps/webhook-e2e/src/other-users.test.ts': [
      'root rotates tokens by the page; a file that the receiver may not read shows in the metrics',
    ],
    'apps/webhook/src/authentication/access-token-source.test.ts': [
      'while the file %s, keeps accepting what it read last, and says so',
    ],
  },
  'Workflows use actions': { 'tools/workspace/gates.test.ts': ['%s: %s is a fault'] },
};

describe.each([
  { page: 'docs/explanation/reliability.md', promise: /^\| \*\*(.*)$/gm, proofs: RELIABILITY },
  { page: 'SECURITY.md', promise: /^- (?!\*)(.*)$/gm, proofs: SECURITY },
])('$page', ({ page, promise, proofs }) => {
  test('has exactly the promises that have tests', () => {
    const begins = Object.keys(proofs);
    const promises = Array.from(read(page).matchAll(promise), ([, text]) => text!);

    expect(promises.map((text, index) => text.slice(0, begins[index]?.length))).toEqual(begins);
  });

  test.each(Object.entries(proofs))('%s: its tests exist', (_promise, proof) => {
    for (const [path, names] of Object.entries(proof)) {
      const quoted = quotedIn(read(path));
      for (const name of names) expect([path, ...quoted]).toContainEqual(expect.stringContaining(name));
    }
  });
});

/** The texts in quotation marks. A test's name is one, or a part of one. */
function quotedIn(source: string): string[] {
  return Array.from(source.matchAll(/(['"`])(.*?)\1/g), ([, , quoted]) => quoted!);
}
