import { Writable } from 'node:stream';

import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import { runCommand } from '../../src/cli/command.js';
import { openTestOutbox } from './outboxes.js';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `plant-store outbox` in this process. */
function run(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ran> {
  return runUntil(new AbortController().signal, environment, ...args);
}

/** The same, until it is interrupted. */
function runUntil(
  signal: AbortSignal,
  environment: NodeJS.ProcessEnv,
  ...args: readonly string[]
): Promise<Ran> {
  return runWith({ signal, environment }, args);
}

interface Given {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** What becomes of what it prints. By default, somebody reads it at once. */
  readonly afterPrinting?: (written: (error?: Error) => void) => void;
}

async function runWith(
  { environment, signal = new AbortController().signal, afterPrinting = (written) => written() }: Given,
  args: readonly string[],
): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, written) => {
      printed.stdout += chunk.toString();
      afterPrinting(written);
    },
  });
  stdout.on('error', () => {});
  const context = {
    ...{ given: {}, accepts: {}, environment, stdin: process.stdin, signal, stdout },
    stderr: { write: (text: string) => (printed.stderr += text) },
  };
  const code = await runCommand(['outbox', ...args], context as never);
  return { code, ...printed };
}

withPostgres('plant-store outbox', () => {
  test('creates the tables once', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const environment = { PLANT_STORE_OUTBOX_URL: url };

    expect(await run(environment, 'list')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^plant-store: The database test_\d+ has no outbox\. Create it with: [^\n]+\n$/,
      ),
    });
    expect(await run(environment, 'migrate')).toEqual({
      code: 0,
      stdout: 'The outbox was created, with version 1.\n',
      stderr: '',
    });
    expect((await run(environment, 'migrate')).stdout).toBe('The outbox has version 1 already.\n');
  });

  test('lists, replays and discards parked entries', async () => {
    const { pool, enqueue } = await openTestOutbox();
    const environment = { PLANT_STORE_OUTBOX_URL: pool.options.connectionString! };
    await enqueue('one', 'two', 'three');
    await pool.query(`UPDATE plant_store_outbox.entry SET state = 'parked', settled_at = now(), attempts = 1,
      outcome = 'unknown', code = 'EXAMPLE', error = E'two\\n\\x1blines'`);

    const lines = (await run(environment, 'list')).stdout.split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^1 {2}\d{4}-\S+Z {2}attempts 1 {2}unknown {2}EXAMPLE {2}two lines$/);
    const [first] = (await run(environment, 'list', '--json')).stdout.split('\n');
    expect(JSON.parse(first!)).toMatchObject({ id: 1, outcome: 'unknown', error: 'two\n\u001blines' });
    expect((await run(environment, 'replay', '1')).stdout).toBe('replayed 1\n');
    expect((await run(environment, 'discard', '--all')).stdout).toBe('discarded 2\n');
    expect((await run(environment, 'status')).stdout).toBe('waiting 1, sending 0, parked 0\n');
  });

  describe('with more parked entries than are read at once', () => {
    const environment: NodeJS.ProcessEnv = {};
    const failed = (code: string): Error => Object.assign(new Error(code), { code });

    beforeEach(async () => {
      const { pool, enqueue } = await openTestOutbox();
      environment['PLANT_STORE_OUTBOX_URL'] = pool.options.connectionString!;
      await enqueue(...Array.from({ length: 250 }, String));
      await pool.query(`UPDATE plant_store_outbox.entry SET state = 'parked', settled_at = now(), attempts = 1,
        outcome = 'unknown', code = 'EXAMPLE', error = 'arbitrary'`);
    });

    test('lists all of them', async () => {
      const { code, stdout } = await run(environment, 'list');

      expect(code).toBe(0);
      const ids = stdout.split('\n').map((line) => Number.parseInt(line, 10));
      expect(ids).toEqual([...Array.from({ length: 250 }, (_, index) => index + 1), NaN]);
    });

    test('reads no more of them once nobody reads the list, as with head', async () => {
      const ran = await runWith({ environment, afterPrinting: (written) => written(failed('EPIPE')) }, [
        'list',
      ]);

      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout.split('\n')).toHaveLength(101);
    });

    test('says that the list could not be written', async () => {
      const ran = await runWith({ environment, afterPrinting: (written) => written(failed('ENOSPC')) }, [
        'list',
      ]);

      expect(ran).toMatchObject({
        code: 1,
        stderr: "plant-store: Standard output can't be written: no space is left on the device.\n",
      });
      expect(ran.stdout.split('\n')).toHaveLength(101);
    });

    test('ends at an interrupt while the reader of the list is slow', async () => {
      const controller = new AbortController();
      const ran = await runWith(
        { environment, signal: controller.signal, afterPrinting: () => controller.abort() },
        ['list'],
      );

      expect(ran).toMatchObject({ code: 1, stderr: 'plant-store: interrupted.\n' });
    });
  });

  test('ends at an interrupt while the database is busy', async () => {
    const { pool } = await openTestOutbox();
    const client = await pool.connect();
    await client.query('BEGIN; LOCK TABLE plant_store_outbox.entry');
    const controller = new AbortController();
    const environment = { PLANT_STORE_OUTBOX_URL: pool.options.connectionString! };
    const running = runUntil(controller.signal, environment, 'discard', '--all');
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted`;
    while ((await pool.query(waiting)).rows.length === 0);

    controller.abort();

    expect(await running).toEqual({ code: 1, stdout: '', stderr: 'plant-store: interrupted.\n' });
    await client.query('ROLLBACK');
    client.release();
  });

  test('does nothing after an interrupt while it starts', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const environment = { PLANT_STORE_OUTBOX_URL: url };
    const controller = new AbortController();
    const running = runUntil(controller.signal, environment, 'migrate');

    controller.abort();

    expect(await running).toEqual({ code: 1, stdout: '', stderr: 'plant-store: interrupted.\n' });
    expect((await run(environment, 'status')).stderr).toContain('has no outbox');
  });

  test('says that nobody listens', async () => {
    const ran = await run({ PLANT_STORE_OUTBOX_URL: 'postgres://user:s3cret@127.0.0.1:1/store' }, 'migrate');

    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /^plant-store: There is no connection to the database of the outbox: [^\n]+\n$/,
    );
    expect(ran.stderr).not.toContain('s3cret');
  });
});

const address = { PLANT_STORE_OUTBOX_URL: 'postgres://127.0.0.1:1/store' };

test.each([
  [{}, ['list'], 'There is no database. Set PLANT_STORE_OUTBOX_URL'],
  [{ PLANT_STORE_OUTBOX_URL: 'store' }, ['list'], 'PLANT_STORE_OUTBOX_URL must be a URL'],
  [address, [], 'The command is missing.'],
  [
    address,
    ['drop'],
    'drop is not a command. The commands of the outbox are migrate, status, list, replay, discard.',
  ],
  [address, ['list', '--all'], 'list does not take --all.'],
  [address, ['list', '1'], 'list takes no ids.'],
  [address, ['replay'], 'Name the ids to replay, or pass --all'],
  [address, ['replay', '1', '--all'], 'Name the ids to replay, or pass --all'],
  [address, ['discard', 'x'], 'An id must be a whole number as list shows it (got x).'],
  [address, ['list', '--unknown'], '--unknown is not an option. See plant-store --help.'],
  [address, ['list', '--jsn'], '--jsn is not an option. Did you mean --json? See plant-store --help.'],
])('plant-store outbox refuses bad input: %j %j', async (environment, args, problem) => {
  const ran = await run(environment, ...args);

  expect(ran).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(`plant-store: ${problem}`) });
  expect(ran.stderr.split('\n')).toHaveLength(2);
});

test('plant-store outbox --help lists the commands', async () => {
  expect((await run({}, '--help')).stdout).toContain('replay ID...|--all');
});
