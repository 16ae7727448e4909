import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import type { PostgresServer } from '@plant-store/test-support/postgres';
import { startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';

import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { delivery } from '../support/messages.js';
import { sendAll } from '../support/poison.js';
import { soon } from '../support/port.js';
import type { Environment } from '../support/process.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const HANDLER = fileURLToPath(new URL('standing-handler.mjs', import.meta.url));

withPostgres('for longer than a lease,', () => {
  let server: PostgresServer;
  let url: string;
  let folder: string;

  const query = (sql: string): Promise<string> => server.query(sql, new URL(url).pathname.slice(1));
  const untilIs = async (expected: string, sql: string): Promise<void> => {
    while ((await query(sql)) !== expected) await soon();
  };
  const untilHandled = (count: number): Promise<void> =>
    untilIs(`${count}`, `SELECT count(*) FROM plant_store.delivery WHERE state = 'handled'`);

  const holdOf = (name: string): string => join(folder, `hold-${name}`);
  const letGo = (name: string): void => rmSync(holdOf(name));
  /** Starts a receiver whose attempts don't end before it is let go. */
  const startHeld = (name: string, settings: Environment = {}): Promise<RunningReceiver> => {
    writeFileSync(holdOf(name), '');
    const files = { BEGUN_FILE: join(folder, 'begun'), HOLD_FILE: holdOf(name) };
    const common = { INBOX_URL: url, HANDLER, NAME: name, HANDLER_TIMEOUT_MS: '600000', ...files };
    return startReceiver({ settings: { ...common, ...settings } });
  };
  /** The attempts that have begun: receiver, content, number. */
  const begun = (): readonly string[] => {
    try {
      return readFileSync(join(folder, 'begun'), 'utf8').trimEnd().split('\n').sort();
    } catch {
      return [];
    }
  };
  const untilBegun = async (count: number): Promise<void> => {
    while (begun().length < count) await soon();
  };

  beforeAll(async () => {
    server = await startPostgres();
  });

  beforeEach(async () => {
    url = await server.createDatabase();
    folder = makeFolder();
  });

  test('a receiver is stopped: it settles nothing that another one has taken over, and begins nothing of it', async () => {
    const stopped = await startHeld('stopped', { HANDLER_CONCURRENCY: '4', BLOCK: 'yes' });
    await query('UPDATE plant_store.inbox_state SET is_paused = true');
    await sendAll(stopped, ['a', 'b', 'c', 'd']);
    await query('UPDATE plant_store.inbox_state SET is_paused = false');
    // It has claimed all four, and its first attempt lets no other one begin.
    await untilBegun(1);
    stopped.process.signal('SIGSTOP');
    const other = await startHeld('other');
    await untilBegun(5);
    const running = `SELECT count(*) FROM plant_store.delivery
      WHERE state = 'running' AND attempts = 2 AND receiver LIKE '%/${other.process.pid}/%'`;
    const taken = ['other a 2', 'other b 2', 'other c 2', 'other d 2', 'stopped a 1'];
    expect([begun(), await query(running)]).toEqual([taken, '4']);

    stopped.process.signal('SIGCONT');
    letGo('stopped');
    // What it acknowledges is stored behind its results.
    await sendAll(stopped, ['e']);
    await untilBegun(6);

    expect([begun().filter((line) => !line.includes('e 1')), await query(running)]).toEqual([taken, '4']);
    letGo('other');
    await untilHandled(5);
    expect(await query('SELECT count(*), sum(attempts) FROM plant_store.delivery')).toBe('5|9');
  }, 120_000);

  test('the database is stopped: nothing runs twice', async () => {
    const receivers = [await startHeld('one'), await startHeld('other')];
    await Promise.all(receivers.map((receiver, index) => sendAll(receiver, [`a${index}`, `b${index}`])));
    await untilBegun(4);
    const thaw = freeze(server);
    for (const { port } of receivers) {
      const connection = await openConnection(port);
      connection.write(delivery('refused'));
      expectResponse(await connection.response(), { status: 503 });
    }
    thaw();

    // Each has its lease again, and has looked twice for what others have left.
    const lease = `extract(epoch FROM expires_at - since) > 27`;
    await untilIs('2', `SELECT count(*) FROM plant_store.receiver WHERE ${lease}`);
    for (const name of ['one', 'other']) letGo(name);
    await untilIs('0', `SELECT count(*) FROM plant_store.delivery WHERE state <> 'handled'`);

    const [attempts, deliveries] = [begun(), await query('SELECT count(*) FROM plant_store.delivery')];
    expect(attempts.every((line) => line.endsWith(' 1'))).toBe(true);
    expect(attempts).toHaveLength(Number(deliveries));
  }, 180_000);
});

/** Stops every process of a server. Returns what lets them go on. */
function freeze({ pid }: PostgresServer): () => void {
  process.kill(pid, 'SIGSTOP');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  for (const child of children) process.kill(child, 'SIGSTOP');
  const thaw = (): void => {
    for (const each of [pid, ...children]) if (existsSync(`/proc/${each}`)) process.kill(each, 'SIGCONT');
  };
  // A process that is stopped can't end.
  afterThisTest(thaw);
  return thaw;
}
