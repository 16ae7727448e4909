import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import { runCommand } from '../../src/cli/command.js';
import { openTestOutbox } from './outboxes.js';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `plant-store outbox` in this process. */
async function run(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const context = {
    ...{ given: {}, accepts: {}, environment, stdin: process.stdin, signal: new AbortController().signal },
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  };
  const code = await runCommand(['outbox', ...args], context as never);
  return { code, ...written };
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
      outcome = 'unknown', code = 'EXAMPLE', error = E'two\\nlines'`);

    const lines = (await run(environment, 'list')).stdout.split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^1 {2}\d{4}-\S+Z {2}attempts 1 {2}unknown {2}EXAMPLE {2}two lines$/);
    const [first] = (await run(environment, 'list', '--json')).stdout.split('\n');
    expect(JSON.parse(first!)).toMatchObject({ id: 1, outcome: 'unknown', error: 'two\nlines' });
    expect((await run(environment, 'replay', '1')).stdout).toBe('replayed 1\n');
    expect((await run(environment, 'discard', '--all')).stdout).toBe('discarded 2\n');
    expect((await run(environment, 'status')).stdout).toBe('waiting 1, sending 0, parked 0\n');
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
  [address, ['drop'], 'drop is not a command of the outbox.'],
  [address, ['list', '--all'], 'list does not take --all.'],
  [address, ['list', '1'], 'list takes no ids.'],
  [address, ['replay'], 'Name the ids to replay, or pass --all'],
  [address, ['replay', '1', '--all'], 'Name the ids to replay, or pass --all'],
  [address, ['discard', 'x'], 'An id must be a whole number as list shows it (got x).'],
  [address, ['list', '--unknown'], "Unknown option '--unknown'."],
])('plant-store outbox refuses bad input: %j %j', async (environment, args, problem) => {
  const ran = await run(environment, ...args);

  expect(ran).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(`plant-store: ${problem}`) });
  expect(ran.stderr.split('\n')).toHaveLength(2);
});

test('plant-store outbox --help lists the commands', async () => {
  expect((await run({}, '--help')).stdout).toContain('replay ID...|--all');
});
