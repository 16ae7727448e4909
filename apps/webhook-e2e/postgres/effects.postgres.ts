import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { makeFolder } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import ts from 'typescript';

import { sendAll } from '../support/poison.js';
import { soon } from '../support/port.js';
import type { Environment } from '../support/process.js';
import { spawnReceiver, startReceiver } from '../support/receiver.js';

const HANDLER = fileURLToPath(new URL('effects-handler.mjs', import.meta.url));

const HANDLER_PAGE = fileURLToPath(new URL('../../../docs/how-to/write-a-handler.md', import.meta.url));

/** Deliveries of a test that kills. */
const COUNT = 40;

/** How often the receiver is killed; a start takes a second. */
const MAX_KILLS = 4;

withPostgres("the handler's transaction", () => {
  /** An empty database with a table for effects, and a receiver's settings for it. */
  const prepare = async (): Promise<{ settings: Environment; query: (sql: string) => Promise<string> }> => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const query = (sql: string): Promise<string> => server.query(sql, new URL(url).pathname.slice(1));
    await query('CREATE TABLE effects (delivery bigint NOT NULL)');
    return {
      settings: {
        INBOX_URL: url,
        HANDLER,
        HANDLER_BACKOFF_MS: '1',
        HANDLER_MAX_BACKOFF_MS: '50',
      },
      query,
    };
  };

  test('is all or nothing, and one per delivery', async () => {
    const { settings, query } = await prepare();
    const receiver = await startReceiver({
      settings: {
        ...settings,
        HANDLER_MAX_ATTEMPTS: '3',
        HANDLER_TIMEOUT_MS: '2000',
      },
    });
    const contents = [
      'fail once',
      'fail always',
      'fail afterwards',
      'not wait',
      'catch the error',
      'end the transaction',
      'take too long',
      'write',
    ];
    await sendAll(receiver, contents);
    const states = `SELECT convert_from(content, 'UTF8'), state, count(e.delivery) FROM plant_store.delivery d
      LEFT JOIN effects e ON e.delivery = d.id GROUP BY 1, 2 ORDER BY 1`;
    await untilDone(query, contents.length);

    expect((await query(states)).split('\n')).toEqual([
      'catch the error|parked|0',
      'end the transaction|handled|1',
      'fail afterwards|handled|1',
      'fail always|parked|0',
      'fail once|handled|1',
      'not wait|handled|1',
      'take too long|handled|1',
      'write|handled|1',
    ]);
    const ofHandled = `SELECT count(error), count(error_group) FROM plant_store.delivery WHERE state = 'handled'`;
    expect(await query(ofHandled)).toBe('0|0');
    expect(await query("SELECT error FROM plant_store.delivery WHERE state = 'parked' ORDER BY id")).toBe(
      [
        'Error: failed on purpose',
        'Error: The transaction was rolled back, because one of its statements had failed, caused by ' +
          'error: current transaction is aborted, commands ignored until end of transaction block',
      ].join('\n'),
    );
    expect(receiver.process.entries(AFTERWARDS)).toHaveLength(1);
  });

  test('works as in docs/how-to/write-a-handler.md', async () => {
    const { settings, query } = await prepare();
    await query('CREATE TABLE plants (key uuid PRIMARY KEY, content bytea)');
    const [, documented] = /```ts\n(async handle.*?)```/s.exec(readFileSync(HANDLER_PAGE, 'utf8'))!;
    const { outputText } = ts.transpileModule(`export default class Example {${documented}}`, {
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    });
    const example = join(makeFolder(), 'example.mjs');
    writeFileSync(example, outputText);
    const receiver = await startReceiver({ settings: { ...settings, HANDLER: example } });
    await sendAll(receiver, ['content of the example']);
    while ((await query('SELECT count(*) FROM plants')) === '0') await soon();

    const written = `SELECT id, convert_from(p.content, 'UTF8')
      FROM plants AS p JOIN plant_store.delivery AS d ON d.key = p.key::text`;
    expect(await query(written)).toBe('1|content of the example');
  });

  test('is there exactly once for each delivery, however often the receiver is killed and its connections end', async () => {
    const { settings, query } = await prepare();
    const environment = { ...settings, HANDLER_MAX_ATTEMPTS: '100000' };
    const first = await startReceiver({ settings: { ...environment, HOLD: 'yes' } });
    await sendAll(
      first,
      Array.from({ length: COUNT }, () => 'write'),
    );
    await first.process.kill();

    let kills = 0;
    for (let isDone = false; !isDone;) {
      const KILL_SHARE = kills < MAX_KILLS ? '0.25' : '0';
      const receiver = spawnReceiver({ settings: { ...environment, KILL_SHARE } });
      const done = untilDone(query, COUNT).then(() => true);
      const ended = Promise.race([done, receiver.exit.then(() => false)]);
      while ((await Promise.race([ended, pause(300)])) === undefined) await query(CUT);
      isDone = await ended;
      if (isDone) await receiver.kill();
      else kills += 1;
    }

    process.stdout.write(`${COUNT} deliveries, ${kills} kills\n`);
    await expectOneEach(environment, query);
  }, 300_000);
});

const AFTERWARDS = 'the handler failed after its transaction; the delivery is handled';

/** Ends the connections of handlers. */
const CUT = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE '%handler'`;

/** Each delivery has one effect, also after the next start, at which some come again. */
async function expectOneEach(settings: Environment, query: (sql: string) => Promise<string>): Promise<void> {
  const { process } = await startReceiver({ settings });
  const { operations } = await process.logged('listening');
  const stats = new URL('stats', operations as string);
  const countWaiting = async (): Promise<number> => {
    const { waiting, retrying } = (await (await fetch(stats)).json()) as Record<string, number>;
    return waiting! + retrying!;
  };
  while ((await countWaiting()) > 0) await soon();
  expect(await query('SELECT count(*), count(DISTINCT delivery) FROM effects')).toBe(`${COUNT}|${COUNT}`);
  expect(await query('SELECT count(*) FROM effects e JOIN plant_store.delivery d ON d.id = e.delivery')).toBe(
    `${COUNT}`,
  );
}

/** Waits until so many deliveries have an effect or are parked. */
async function untilDone(query: (sql: string) => Promise<string>, count: number): Promise<void> {
  const ended =
    "SELECT count(*) FROM (SELECT delivery FROM effects UNION SELECT id FROM plant_store.delivery WHERE state = 'parked') e";
  // Each look is a connection to the server.
  while ((await query(ended)) !== String(count)) await pause(200);
}
