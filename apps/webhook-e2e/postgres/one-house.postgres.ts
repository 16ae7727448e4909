import { fileURLToPath } from 'node:url';

import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { PLANT_INBOX, resultOf } from '../support/plant-inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { TestProcess } from '../support/process.js';
import { everythingOpen, startReceiver } from '../support/receiver.js';

const PLANT_STORE = fileURLToPath(new URL('../../../libs/cli/bin/plant-store.js', import.meta.url));

/** For the handler that fails, and for a terminal. */
const CONTENT = 'throw an error \u001b[2J\nend';

type Command = (...args: readonly string[]) => Promise<string>;

function commandOf(args: readonly string[], environment: object): Command {
  return async (...more) => {
    const options = { environment: { ...everythingOpen, ...environment } };
    const { code, stdout } = await resultOf(new TestProcess([process.execPath, ...args, ...more], options));
    expect(code).toBe(0);
    return stdout;
  };
}

/** A delivery that the receiver has parked. */
async function plantInbox(): Promise<Command> {
  const receiver = await startReceiver({ settings: poisonSettings });
  await sendAll(receiver, [CONTENT]);
  await untilNothingWaits(receiver.inbox);
  return commandOf([PLANT_INBOX], { INBOX_URL: `file:${receiver.inbox}` });
}

/** An entry that a relay has parked. */
async function outbox(): Promise<Command> {
  const server = await postgresOfThisFile();
  const url = await server.createDatabase();
  const command = commandOf([PLANT_STORE, 'outbox'], { PLANT_STORE_OUTBOX_URL: url });
  await command('migrate');
  const hex = Buffer.from(CONTENT).toString('hex');
  await server.query(
    `BEGIN; CALL plant_store_outbox.enqueue('\\x${hex}', 'text/plain', NULL); COMMIT;
    UPDATE plant_store_outbox.entry SET state = 'parked', settled_at = now(), attempts = 3, outcome = 'unknown',
    code = 'EXAMPLE', error = 'arbitrary'`,
    new URL(url).pathname.slice(1),
  );
  return command;
}

withPostgres('plant-inbox and plant-store outbox', () => {
  test('look like tools of one house', async () => {
    for (const [command, time, more] of [
      [await plantInbox(), 'RECEIVED', 'ERROR OR REASON'],
      [await outbox(), 'ENQUEUED', 'OUTCOME  ERROR'],
    ] as const) {
      const [headings, row] = (await command('list')).split('\n');
      expect(headings).toBe(`ID  STATE   ${time}              BYTES  ATTEMPTS  ${more}`);
      expect(row).toMatch(/^ 1 {2}parked {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {5}23 {9}3 {2}\w/);

      const shown = await command('show', '1');
      expect(shown).toMatch(
        /^id {10}1\nstate {7}parked\n\w+ {4}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\nattempts {4}3\n/,
      );
      expect(shown).toMatch(/\n\nthrow an error \\u001b\[2J\nend\n$/);

      const entry = { id: 1, state: 'parked', bytes: 23, attempts: 3 };
      const listed = await command('list', '-o', 'json');
      expect(listed).toMatch(/^\[\n {2}\{\n {4}"id": 1,\n/);
      expect(JSON.parse(listed)).toMatchObject([entry]);
      const content = Buffer.from(CONTENT).toString('base64');
      expect(JSON.parse(await command('show', '1', '--output=json'))).toMatchObject({ ...entry, content });
      expect(await command('show', '1', '-o', 'raw')).toBe(CONTENT);
    }
  });
});
