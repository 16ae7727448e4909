/**
 * A handler that writes a row for each delivery in the attempt's transaction, and fails as the content says. With
 * KILL_SHARE, so many of its attempts end the process, at any point. With HOLD, no attempt ends.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const killShare = Number(process.env['KILL_SHARE'] ?? 0);
const kill = () => process.kill(process.pid, 'SIGKILL');

const INSERT = 'INSERT INTO effects (delivery) VALUES ($1)';

const fates = {
  async 'fail once'({ id, attempts }, attempt) {
    await attempt.transaction(async (client) => {
      await client.query(INSERT, [id]);
      if (attempts === 1) throw new Error('failed on purpose');
    });
  },
  async 'fail always'({ id }, attempt) {
    await attempt.transaction(async (client) => {
      await client.query(INSERT, [id]);
      throw new Error('failed on purpose');
    });
  },
  async 'fail afterwards'({ id }, attempt) {
    await attempt.transaction(async (client) => {
      await client.query(INSERT, [id]);
    });
    throw new Error('failed on purpose');
  },
  'not wait'({ id }, attempt) {
    void attempt.transaction(async (client) => {
      await client.query(INSERT, [id]);
    });
  },
  async 'catch the error'({ id }, attempt) {
    await attempt.transaction(async (client) => {
      await client.query(INSERT, [id]);
      await client.query('SELECT 1 / 0').catch(() => undefined);
    });
  },
  async 'end the transaction'({ id }, attempt) {
    await attempt.transaction(async (client) => {
      await client.query(INSERT, [id]);
      await client.query('COMMIT');
    });
  },
  async 'take too long'({ id, attempts }, attempt) {
    await attempt.transaction(async (client) => {
      await client.query(INSERT, [id]);
      if (attempts === 1) await client.query('SELECT pg_sleep(60)');
    });
  },
  async write({ id }, attempt) {
    const point = Math.random() < killShare ? randomInt(5) : undefined;
    await attempt.transaction(async (client) => {
      if (point === 0) kill();
      await client.query(INSERT, [id]);
      if (point === 1) kill();
      if (point === 2) setTimeout(kill, Math.random() * 2);
      if (point === 3) setImmediate(kill);
    });
    if (point === 4) kill();
    if (point !== undefined) await pause(1_000);
  },
};

export default function handle(delivery, attempt) {
  if (process.env['HOLD']) return new Promise(() => undefined);
  return fates[/^[a-z ]*[a-z]/.exec(String(delivery.content))[0]](delivery, attempt);
}
