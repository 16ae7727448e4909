import { spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { chownSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterThisTest } from '@plant-store/test-support';
import { makePostgresFolder, type PostgresServer, postgresUser } from '@plant-store/test-support/postgres';
import { postgresOfThisFile, startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';
import { startReceiver } from '../support/receiver.js';
import { accessToken, type Finished, openCommand, run, start } from '../support/run.js';

interface Prepared {
  readonly environment: { readonly ACCESS_TOKEN: string; readonly PLANT_STORE_OUTBOX_URL: string };
  readonly pool: pg.Pool;
  readonly enqueue: (...contents: string[]) => Promise<void>;
  /** Parks all entries. */
  readonly park: () => Promise<void>;
  /** Runs `plant-store outbox`. */
  readonly outbox: (...args: string[]) => Promise<Finished>;
}

/** A database with an outbox. */
async function prepare(): Promise<Prepared> {
  const url = await (await postgresOfThisFile()).createDatabase();
  const environment = { ACCESS_TOKEN: accessToken, PLANT_STORE_OUTBOX_URL: url };
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => {});
  afterThisTest(() => pool.end());
  const outbox = (...args: string[]): Promise<Finished> => run(['outbox', ...args], { environment });
  await outbox('migrate');
  await pool.query('CREATE TABLE plant (content text)');
  return {
    environment,
    pool,
    enqueue: async (...contents) => {
      const client = await pool.connect();
      for (const content of contents) {
        await client.query('BEGIN');
        await client.query('INSERT INTO plant VALUES ($1)', [content]);
        const values = [Buffer.from(content), 'application/json'];
        await client.query('CALL plant_store_outbox.enqueue($1, $2, NULL)', values);
        await client.query('COMMIT');
      }
      client.release();
    },
    park: async () => {
      await pool.query(`UPDATE plant_store_outbox.entry SET state = 'parked', settled_at = now(), attempts = 1,
        outcome = 'unknown', code = 'EXAMPLE', error = E'two\\n\\x1blines'`);
    },
    outbox,
  };
}

const certificate = fileURLToPath(new URL('../fixtures/loopback.crt', import.meta.url));

/** A server whose certificate is the one of the fixtures. */
async function startTlsPostgres(): Promise<PostgresServer> {
  const folder = makePostgresFolder(afterThisTest);
  const [key, copy] = [join(folder, 'key'), join(folder, 'certificate')];
  copyFileSync(certificate, copy);
  writeFileSync(key, readFileSync(certificate.replace('.crt', '.key')), { mode: 0o600 });
  if (postgresUser.uid !== undefined) chownSync(key, postgresUser.uid, postgresUser.gid);
  return startPostgres({ ssl: 'on', ssl_cert_file: copy, ssl_key_file: key });
}

/** The first line of a log whose message begins so. */
async function untilLine(lines: Interface, start: string): Promise<Record<string, unknown>> {
  for await (const [line] of on(lines, 'line') as AsyncIterable<[string]>) {
    const fields = JSON.parse(line) as Record<string, unknown>;
    if (String(fields['msg']).startsWith(start)) return fields;
  }
  throw new Error('The log has ended.');
}

/** Passes on what is sent to a database, unless it is away: then connections are lost, and further ones refused. */
async function passTo(address: string): Promise<{ url: string; isAway: (is: boolean) => void }> {
  const url = new URL(address);
  const { hostname, port } = url;
  const open = new Set<Socket>();
  let isRefused = false;
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(from);
      from.pipe(to).on('error', () => {});
      from.on('close', () => to.destroy());
    }
    if (isRefused) client.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String((server.address() as AddressInfo).port);
  const isAway = (is: boolean): void => {
    isRefused = is;
    if (is) open.forEach((socket) => socket.destroy());
  };
  afterThisTest(() => {
    isAway(true);
    server.close();
  });
  return { url: url.href, isAway };
}

async function untilDelivered(pool: pg.Pool): Promise<void> {
  while (
    (await pool.query(`SELECT 1 FROM plant_store_outbox.entry WHERE state <> 'delivered'`)).rows.length > 0
  );
}

withPostgres('plant-store outbox', () => {
  test('creates the tables once', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const outbox = (...args: string[]): Promise<Finished> =>
      run(['outbox', ...args], { environment: { PLANT_STORE_OUTBOX_URL: url } });

    expect(await outbox('list')).toMatchObject({ code: 1, stderr: expect.stringContaining('has no outbox') });
    expect(await outbox('migrate')).toEqual({ code: 0, stdout: 'The outbox was created.\n', stderr: '' });
    expect((await outbox('migrate')).stdout).toMatch(/^The outbox is up to date; it had version \d+\.\n$/);
  });

  test('counts, lists, shows, replays and discards entries', async () => {
    const { enqueue, outbox, park } = await prepare();
    await enqueue('one', 'two', 'three');
    expect(await outbox('status')).toMatchObject({
      stdout: expect.stringMatching(
        /^waiting {2}3\nsending {2}0\nparked {3}0\noldest {3}waits since \d{4}-\d\d-\d\dT[\d:]{8}Z\n$/,
      ) as string,
    });
    await park();
    const { stdout } = await outbox('list');
    expect(stdout).toMatch(
      /^ID +STATE .*\n(?: \d+ {2}parked .* 1 {2}unknown {2}two\\u000a\\u001blines\n){3}$/,
    );
    const page = await outbox('list', '--limit', '2', '-ojson');
    const [first, second] = Array.from(page.stdout.matchAll(/^\{"id":(\d+),/gm), ([, id]) => id);
    expect(page.stderr).toBe(`plant-store: For newer ones: --after ${second}\n`);
    expect((await outbox('list', '--after', second!)).stdout.split('\n')).toHaveLength(3);

    const { stdout: shown } = await outbox('show', first!);
    expect(shown).toMatch(/^code +EXAMPLE$[^]*\n\none\n$/m);
    expect((await outbox('show', first!, '-oraw')).stdout).toBe('one');
    expect(await outbox('show', '999')).toMatchObject({
      code: 1,
      stderr: 'plant-store: There is no entry 999.\n',
    });
    expect(await outbox('replay', first!)).toMatchObject({ stdout: '1 entry replayed.\n' });
    expect(await outbox('discard', first!, second!, '-ojson')).toMatchObject({
      code: 1,
      stdout: '{\n  "discarded": 1,\n  "left": 1\n}\n',
      stderr: 'plant-store: 1 entry discarded. 1 of the ids is not that of a parked entry.\n',
    });
    expect(JSON.parse((await outbox('replay', '--all', '-ojson')).stdout)).toEqual({ replayed: 1, left: 0 });
    expect(JSON.parse((await outbox('status', '-ojson')).stdout)).toMatchObject({ waiting: 2, parked: 0 });
  });

  test.each([
    ['replay without ids', ['replay'], 'Name the ids to replay, or pass --all (and not both).'],
    ['both', ['discard', '1', '--all'], 'Name the ids to discard, or pass --all (and not both).'],
    ['an id that is none', ['show', 'x'], 'It must be a whole number'],
    ['no command', [], 'The command is missing.'],
  ])('refuses %s', async (_name, args, message) => {
    const { outbox } = await prepare();
    expect(await outbox(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('refuses an environment without a database, and does not print a password', async () => {
    expect(await run(['outbox', 'list'], { environment: {} })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no database.'),
    });
    const environment = { PLANT_STORE_OUTBOX_URL: `postgres://user:${accessToken}@127.0.0.1:1/store` };
    expect(await run(['outbox', 'list'], { environment })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/: connection refused \(.*\)\. Check PLANT_STORE_OUTBOX_URL\.\n$/),
    });
  });

  test.each(['12#34', 'p#q', 'p/q', '12/34', 'p?q', '12?34', '12%', 'p@q/r', 'p@q#r', 'p@q?r'])(
    'says of the password %s that it must be encoded',
    async (password) => {
      const url = `postgres://user:${password}@127.0.0.1:1/store`;
      expect(await run(['outbox', 'list'], { environment: { PLANT_STORE_OUTBOX_URL: url } })).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^plant-store: PLANT_STORE_OUTBOX_URL must be a URL, [^#]*\. In the user and the password, write % as %25, # as %23/,
        ),
      });
    },
  );

  test('takes a password that is encoded, and parameters with @', async () => {
    for (const url of [
      'postgres://user:%23%2F%3F%25@127.0.0.1:1/store?application_name=a@b',
      'postgres://127.0.0.1:1/store?user=a@b',
    ])
      expect(await run(['outbox', 'list'], { environment: { PLANT_STORE_OUTBOX_URL: url } })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('connection refused'),
      });
  });

  test('takes an empty variable as none', async () => {
    const environment = { PLANT_STORE_OUTBOX_URL: '', PLANT_STORE_BASE_URL: '', PLANT_STORE_RETRY: '' };
    const { code, stderr } = await start(['relay', '--method', 'POST'], environment).finished;
    expect(code).toBe(2);
    for (const fault of ['There is no database.', '--base-url is missing', '--retry is missing'])
      expect(stderr).toContain(fault);
  });

  test('reaches a database by TLS, and refuses a certificate that it does not know', async () => {
    const url = await (await startTlsPostgres()).createDatabase();
    const migrate = (parameters: string): Promise<Finished> =>
      run(['outbox', 'migrate'], { environment: { PLANT_STORE_OUTBOX_URL: `${url}?${parameters}` } });

    expect(await migrate('sslmode=verify-full')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('self-signed certificate'),
    });
    expect(await migrate(`sslmode=verify-full&sslrootcert=${certificate}`)).toEqual({
      code: 0,
      stdout: 'The outbox was created.\n',
      stderr: '',
    });
    // As psql takes them.
    for (const mode of ['require', `verify-ca&sslrootcert=${certificate}`])
      expect(await migrate(`sslmode=${mode}`)).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['sslmode=prefer', ': sslmode must be one of disable, require, verify-ca, verify-full.'],
    ['sslmode=verify-full&sslrootcert=/missing', " can't be used: no such file or directory."],
    ['sslmode=verify-ca', " can't be used: "],
  ])('refuses a database with %s', async (parameters, message) => {
    const environment = { PLANT_STORE_OUTBOX_URL: `postgres://user:${accessToken}@host/store?${parameters}` };
    expect(await run(['outbox', 'status'], { environment })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`PLANT_STORE_OUTBOX_URL${message}`),
    });
  });

  test('an interrupt ends a command that waits for the database', async () => {
    const { environment, enqueue, park, pool } = await prepare();
    await enqueue('one');
    await park();
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM plant_store_outbox.entry FOR UPDATE');
    const interrupt = new AbortController();
    const running = run(['outbox', 'discard', '--all'], { environment, signal: interrupt.signal });
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    while ((await pool.query(waiting)).rows.length === 0);
    interrupt.abort(new Error('Interrupted.'));
    expect(await running).toMatchObject({ code: 1, stderr: expect.stringContaining('interrupted.') });
    await client.query('COMMIT');
    client.release();
  });
});

withPostgres('plant-store relay', () => {
  test('sends what is in the outbox, with settings of the environment, and stops in order', async () => {
    const { environment, enqueue, outbox } = await prepare();
    const receiver = await startReceiver(({ content }) => (content === 'bad' ? 400 : 204));
    const { child, finished } = start(['relay', '--method', 'POST', '--metrics-port', '0'], {
      ...environment,
      PLANT_STORE_BASE_URL: receiver.url,
      PLANT_STORE_RETRY: '3',
    });
    await enqueue('good', 'bad');
    const log = createInterface(child.stdout!);
    const [first] = (await once(log, 'line')) as [string];
    const { metricsPort } = JSON.parse(first) as { metricsPort: number };
    await receiver.whenReceived(2);
    while (!(await outbox('status')).stdout.startsWith('waiting  0\nsending  0\nparked   1\n'));
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain('plant_store_relay_deliveries_total{result="acknowledged"} 1\n');
    expect(metrics).toContain('plant_store_outbox_entries{state="parked"} 1\n');
    const alerts = readFileSync(
      join(import.meta.dirname, '../../../../deploy/prometheus-alerts.yaml'),
      'utf8',
    );
    const looked = alerts.match(/plant_store_(?:relay|outbox)_\w+/g) ?? [];
    expect(looked.length).toBeGreaterThan(0);
    expect(looked.filter((name) => !metrics.includes(`# TYPE ${name} `))).toEqual([]);
    child.kill('SIGTERM');

    const { code, stdout, stderr } = await finished;
    expect([code, stderr]).toEqual([0, '']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { level: 'info', msg: 'relay started', url: `${receiver.url}/plant/webhook` },
      { level: 'warn', msg: 'delivery failed', entry: 2, code: 'PLANT_STORE_NOT_ACKNOWLEDGED', status: 400 },
      {
        level: 'warn',
        msg: 'entries were parked',
        count: 1,
        reason: 'PLANT_STORE_NOT_ACKNOWLEDGED',
        ids: [2],
      },
      { msg: 'relay stopping: waiting for what is being sent' },
      { msg: 'relay stopped', acknowledged: 1, failed: 1 },
    ]);
    expect(receiver.requests.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json',
      'application/json',
    ]);
  });

  test('keeps the entries while its token is refused, with a line when that begins and one when it is over', async () => {
    const { environment, enqueue, outbox } = await prepare();
    let isRight = false;
    const receiver = await startReceiver(() => (isRight ? 204 : 401));
    await enqueue('1', '2', '3', '4', '5', '6', '7', '8');
    const args = [
      'relay',
      '--method',
      'POST',
      '--retry',
      '10',
      '--base-url',
      receiver.url,
      '--metrics-port',
      '0',
      '--metrics-host',
      '::',
    ];
    const { child, finished } = start(args, environment);
    const log = createInterface(child.stdout!);
    const lines: Record<string, unknown>[] = [];
    const steps = new EventEmitter();
    log.on('line', (line) => {
      const fields = JSON.parse(line) as Record<string, unknown>;
      lines.push(fields);
      steps.emit(String(fields['msg']).split(/ after|:/, 1)[0]!);
    });
    const back = once(steps, 'endpoint back');
    await Promise.all([once(steps, 'relay started'), once(steps, 'endpoint lost'), receiver.whenReceived(8)]);
    // Every address is also that of IPv4.
    const metricsUrl = `http://127.0.0.1:${String(lines.find(({ msg }) => msg === 'relay started')!['metricsPort'])}/metrics`;
    expect(await (await fetch(metricsUrl)).text()).toContain('plant_store_relay_outage{part="endpoint"} 1\n');
    isRight = true;
    await back;
    while (!(await outbox('status')).stdout.startsWith('waiting  0\nsending  0\n'));
    child.kill('SIGTERM');

    expect(await finished).toMatchObject({ code: 0, stderr: '' });
    expect(receiver.acknowledged.size).toBe(8);
    expect((await outbox('status')).stdout).toContain('parked   0\n');
    expect(lines.filter(({ msg }) => String(msg).startsWith('endpoint'))).toMatchObject([
      { level: 'error', msg: 'endpoint lost: the entries wait', status: 401 },
      { level: 'info', msg: expect.stringMatching(/^endpoint back after \d+ s, \d+ tries$/) },
    ]);
  });

  /** A relay that is sending one entry, until `respond` is called. Signals go to the whole process group. */
  async function relaySending(program: readonly [string, ...string[]] = openCommand) {
    const { environment, enqueue } = await prepare();
    let respond!: (status: number) => void;
    const status = new Promise<number>((resolve) => (respond = resolve));
    const receiver = await startReceiver(() => status);
    await enqueue('one');
    const args = ['relay', '--base-url', receiver.url, '--method', 'POST', '--retry', '0'];
    const { child, finished } = start(args, environment, program);
    const log = createInterface(child.stdout!);
    const stopping = new Promise<void>((resolve) =>
      log.on('line', (line) => line.includes('relay stopping') && resolve()),
    );
    await receiver.whenReceived(1);
    return { respond, stopping, finished, signal: (name: NodeJS.Signals) => process.kill(-child.pid!, name) };
  }

  // npx passes on the signal that the command gets as well. With bash, no shell is between them.
  const npx = ['env', 'npm_config_script_shell=bash', 'npx', '--no', 'plant-store'] as const;

  test.each([
    ['the command', openCommand],
    ['npx', npx],
  ] as const)('signals that come together, to %s, are one interrupt', async (_name, program) => {
    const { respond, stopping, finished, signal } = await relaySending(program);
    signal('SIGINT');
    signal('SIGTERM');
    await stopping;
    respond(204);
    expect(await finished).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/"msg":"relay stopped","acknowledged":1,"failed":0\}\n$/),
    });
  });

  test('an interrupt that is repeated ends what is being sent, and is no loss of the database', async () => {
    const { finished, signal } = await relaySending();
    const repeated = setInterval(() => signal('SIGHUP'), 100);
    const { code, stdout } = await finished.finally(() => clearInterval(repeated));
    expect(code).toBe(0);
    expect(stdout).toMatch(/"msg":"relay stopped","acknowledged":0,"failed":1\}\n$/);
    expect(stdout).not.toContain('database lost');
  });

  test('sends an entry again that may have arrived, once somebody has replayed it', async () => {
    const { environment, enqueue, outbox, park, pool } = await prepare();
    await enqueue('arbitrary');
    await park();
    await outbox('replay', '--all');
    const { url } = await startReceiver((_request, number) => (number === 1 ? 500 : 204));
    const { child, finished } = start(
      ['relay', '--base-url', url, '--method', 'POST', '--retry', '1'],
      environment,
    );

    await untilDelivered(pool);

    child.kill('SIGTERM');
    expect((await finished).code).toBe(0);
  });

  test('while its database is away, has metrics, and stores what it has sent as long as it stops', async () => {
    const { environment: direct, enqueue, pool } = await prepare();
    await enqueue('arbitrary');
    const { url, isAway } = await passTo(direct.PLANT_STORE_OUTBOX_URL);
    const environment = { ...direct, PLANT_STORE_OUTBOX_URL: url };
    const steps = new EventEmitter();
    const answered = once(steps, 'answer');
    const receiver = await startReceiver(() => answered.then(() => 204));
    const args = ['relay', '--base-url', receiver.url, '--method', 'POST', '--retry', '0'];
    const { child, finished } = start([...args, '--metrics-port', '0'], environment);
    const lines = createInterface(child.stdout!);
    const { metricsPort } = await untilLine(lines, 'relay started');
    await receiver.whenReceived(1);

    const isLost = untilLine(lines, 'database lost');
    isAway(true);
    await isLost;
    const metrics = await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text();
    expect(metrics).toContain('plant_store_relay_outage{part="database"} 1\n');
    expect(metrics).not.toContain('plant_store_outbox_entries');
    const isStopping = untilLine(lines, 'relay stopping');
    child.kill('SIGTERM');
    await isStopping;
    steps.emit('answer');
    isAway(false);

    expect(await finished).toMatchObject({ code: 0 });
    await untilDelivered(pool);
  });

  test('ends although nobody reads its log', async () => {
    const { environment, pool } = await prepare();
    await pool.query(
      `INSERT INTO plant_store_outbox.entry (content) SELECT 'x' FROM generate_series(1, 1000)`,
    );
    const receiver = await startReceiver(() => 400);
    const [program, ...first] = openCommand;
    const args = [...first, 'relay', '--method', 'POST', '--retry', '0', '--base-url', receiver.url];
    const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
    afterThisTest(() => child.exitCode ?? child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    while (
      (await pool.query(`SELECT 1 FROM plant_store_outbox.entry WHERE state <> 'parked'`)).rows.length > 0
    );

    child.kill('SIGTERM');

    expect(await ended).toEqual([0, null]);
  });

  test('needs --retry while its question is open', async () => {
    const { environment } = await prepare();
    expect(
      await run(['relay', '--base-url', 'http://127.0.0.1:1', '--method', 'POST'], { environment }),
    ).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^plant-store: --retry is missing\. .*question retry is open/),
    });
    const { finished } = start(['relay'], { ...environment, PLANT_STORE_RETRY: '', PLANT_STORE_METHOD: '' });
    expect(await finished).toMatchObject({ code: 2, stderr: expect.stringContaining('--retry is missing') });
  });

  test('lists every fault of its settings', async () => {
    const { code, stderr } = await run(['relay'], { environment: {} });
    expect(code).toBe(2);
    for (const fault of [
      '--retry is missing',
      'There is no database',
      'There is no access token',
      '--method',
    ])
      expect(stderr).toContain(fault);
  });

  test('ends if there is no outbox', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const environment = { ACCESS_TOKEN: accessToken, PLANT_STORE_OUTBOX_URL: url };
    const args = ['relay', '--base-url', 'http://127.0.0.1:1', '--method', 'POST', '--retry', '0'];
    expect(await run(args, { environment })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no outbox'),
    });
  });
});
