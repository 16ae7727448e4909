import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterThisFile, makeFolder } from '@plant-store/test-support';
import {
  findPostgres,
  POSTGRES_PASSWORD,
  type PostgresServer,
  postgresUser,
} from '@plant-store/test-support/postgres';
import { startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';

import { postgresServers } from '../../src/config/postgres-url.js';
import { Connections } from '../../src/inbox/postgres/connect.js';

const QUERY = `SELECT concat_ws(' ', CASE WHEN ssl THEN 'TLS' ELSE 'clear' END, current_user, current_database(),
  coalesce(inet_server_port()::text, 'socket'), current_setting('application_name'), current_setting('work_mem'))
  FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;

const folder = makeFolder(afterThisFile);
chmodSync(folder, 0o755);
const file = (name: string): string => join(folder, name);

/** Makes a certificate for localhost that is its own authority. */
function makeCertificate(name: string): void {
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
  execFileSync('openssl', [...request, '-addext', 'subjectAltName=DNS:localhost', ...files], {
    stdio: 'ignore',
  });
  chmodSync(file(`${name}.key`), 0o600);
  if (postgresUser.uid !== undefined) chownSync(file(`${name}.key`), postgresUser.uid, postgresUser.gid);
}

/** Nothing of the machine's is in it: psql would read it. */
const ENVIRONMENT = { PATH: process.env['PATH'], HOME: folder, PGAPPNAME: 'test', LC_ALL: 'C' };

type Environment = Readonly<Record<string, string>>;

async function byPsql(url: string, environment: Environment): Promise<string> {
  const psql = join(findPostgres(process.env)!, 'psql');
  try {
    const env = { ...ENVIRONMENT, ...environment };
    const { stdout } = await promisify(execFile)(psql, ['-XAtw', '-c', QUERY, url], { env });
    return stdout.trim();
  } catch {
    return 'refused';
  }
}

async function byUs(url: string, environment: Environment): Promise<string> {
  let connections: Connections | undefined;
  try {
    connections = new Connections(postgresServers(url, { ...ENVIRONMENT, ...environment }), { max: 1 });
    const client = await connections.connect();
    const { rows } = await client.query<{ readonly concat_ws: string }>(QUERY);
    client.release();
    return rows[0]!.concat_ws;
  } catch {
    return 'refused';
  } finally {
    await connections?.close();
  }
}

withPostgres('a URL of PostgreSQL', () => {
  let tls: PostgresServer;
  let plain: PostgresServer;

  beforeAll(async () => {
    for (const name of ['server', 'other']) makeCertificate(name);
    writeFileSync(
      file('pg_hba.conf'),
      `local all all trust
      hostssl only_tls all all scram-sha-256
      hostnossl only_clear all all scram-sha-256
      host only_tls,only_clear all all reject
      host open all all trust
      host all all all scram-sha-256\n`.replaceAll(/^ +/gm, ''),
      { mode: 0o644 },
    );
    const hba = { hba_file: file('pg_hba.conf') };
    tls = await startPostgres({
      ...hba,
      ssl: 'on',
      ssl_cert_file: file('server.crt'),
      ssl_key_file: file('server.key'),
    });
    plain = await startPostgres(hba);
    for (const server of [tls, plain]) {
      for (const name of ['only_tls', 'only_clear', 'open', 'plants', '"of ä/?"'])
        await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
      await server.query(`CREATE ROLE "p:l@nt" LOGIN PASSWORD 'p:a/s@s%?#&'`);
    }
    const [host, port, password] = ['localhost', tls.port, POSTGRES_PASSWORD];
    writeFileSync(
      file('passwords'),
      `# a comment\n*:1:*:*:no\n${host}:${port}:*:p\\:l@nt:p\\:a/s@s%?#&\n*:*:*:*:${password}\n`,
      {
        mode: 0o600,
      },
    );
  }, 120_000);

  /** The parts that tests put into a URL. */
  const filled = (text: string): string =>
    text
      .replaceAll('ME', `postgres:${POSTGRES_PASSWORD}`)
      .replaceAll('TLS', `localhost:${tls.port}`)
      .replaceAll('PLAIN', `localhost:${plain.port}`)
      .replaceAll('PORT', String(tls.port))
      .replaceAll('FOLDER', folder)
      .replaceAll('SOCKET', encodeURIComponent(tls.data));

  test.each<[url: string, outcome: RegExp, environment?: Environment]>([
    // Without sslmode, TLS if the server has it.
    ['postgres://ME@TLS/plants', /^TLS postgres plants/],
    ['postgresql://ME@PLAIN/plants', /^clear/],
    ['postgres://ME@TLS/only_tls', /^TLS/],
    ['postgres://ME@TLS/only_clear', /^clear/],
    ['postgres://postgres:wrong@TLS/plants', /^refused/],
    ['postgres://ME@TLS/plants', /^clear/, { PGSSLMODE: 'disable' }],
    ['postgres://ME@TLS/plants?sslmode=require', /^TLS/, { PGSSLMODE: 'disable' }],
    // Each mode.
    ['postgres://ME@TLS/plants?sslmode=disable', /^clear/],
    ['postgres://ME@TLS/only_tls?sslmode=disable', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=allow', /^clear/],
    ['postgres://ME@TLS/only_tls?sslmode=allow', /^TLS/],
    ['postgres://ME@PLAIN/plants?sslmode=allow', /^clear/],
    ['postgres://ME@TLS/plants?sslmode=prefer', /^TLS/],
    ['postgres://ME@TLS/plants?sslmode=require', /^TLS/],
    ['postgres://ME@TLS/plants?ssl=true', /^TLS/],
    ['postgres://ME@PLAIN/plants?sslmode=require', /^refused/],
    ['postgres://ME@TLS/only_clear?sslmode=require', /^refused/],
    // Certificates.
    ['postgres://ME@TLS/plants?sslmode=require&sslrootcert=FOLDER/server.crt', /^TLS/],
    ['postgres://ME@TLS/plants?sslmode=require&sslrootcert=FOLDER/other.crt', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=verify-ca', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=verify-ca&sslrootcert=FOLDER/server.crt', /^TLS/],
    ['postgres://ME@127.0.0.1:PORT/plants?sslmode=verify-ca&sslrootcert=FOLDER/server.crt', /^TLS/],
    ['postgres://ME@TLS/plants?sslmode=verify-ca&sslrootcert=FOLDER/other.crt', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=verify-full', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=verify-full&sslrootcert=FOLDER/server.crt', /^TLS/],
    ['postgres://ME@127.0.0.1:PORT/plants?sslmode=verify-full&sslrootcert=FOLDER/server.crt', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=require&ssl_max_protocol_version=TLSv1.1', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=require', /^refused/, { PGSSLROOTCERT: file('other.crt') }],
    // What proves that the password was asked for by the server of the certificate.
    ['postgres://ME@TLS/plants?channel_binding=require', /^TLS/],
    ['postgres://ME@TLS/open?channel_binding=require', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=disable&channel_binding=require', /^refused/],
    // Who, where, and what else.
    ['postgres://p%3Al%40nt:p%3Aa%2Fs%40s%25%3F%23%26@TLS/of%20%C3%A4%2F%3F', /^TLS p:l@nt of ä\/\?/],
    ['postgres:///plants?host=localhost&port=PORT&user=postgres&password=wrong', /^refused/],
    [
      'postgres://nobody@nowhere:1/none?host=localhost&port=PORT&user=postgres&dbname=open',
      /^TLS postgres open/,
    ],
    [
      'postgres:///?host=localhost',
      /^TLS postgres open/,
      { PGPORT: 'PORT', PGUSER: 'postgres', PGDATABASE: 'open' },
    ],
    ['postgres://postgres@TLS', /^TLS postgres postgres/, { PGPASSWORD: POSTGRES_PASSWORD }],
    ['postgres://postgres@SOCKET:PORT/plants?sslmode=require', /^clear postgres plants socket/],
    ['postgres:///plants?host=SOCKET&port=PORT&user=postgres', /^clear postgres plants socket/],
    ['postgres://ME@[::1]:PORT,127.0.0.1:PORT/plants', /^TLS/],
    ['postgres://ME@127.0.0.1,localhost/plants?port=PORT', /^TLS/],
    ['postgres://ME@localhost:1,TLS/plants?target_session_attrs=read-write', /^TLS/],
    [
      'postgres://ME@TLS/plants?application_name=shop%20one&options=-c%20work_mem%3D7MB&connect_timeout=9',
      /shop one 7MB$/,
    ],
    [
      'postgres://ME@TLS/plants?application_name=a+b&keepalives=1&keepalives_idle=9&gssencmode=disable',
      /a\+b 4MB$/,
    ],
    ['postgres://postgres@TLS/plants?passfile=FOLDER/passwords', /^TLS postgres/],
    ['postgres://p%3Al%40nt@TLS/plants', /^TLS p:l@nt/, { PGPASSFILE: file('passwords') }],
    ['postgres://postgres@TLS/plants', /^refused/],
    // Mistakes.
    ['postgres://ME@TLS/plants?sslMode=require', /^refused/],
    ['postgres://ME@TLS/plants?sslmode=required', /^refused/],
    ['postgres://ME@TLS/plants?sslmode', /^refused/],
    ['postgres://ME@TLS/plants?application_name=%zz', /^refused/],
    ['postgres://ME@TLS/plants?application_name=a=b', /^refused/],
    ['postgres://ME@localhost:1,TLS/plants?port=1,2,3', /^refused/],
    ['postgres://ME@[::1/plants', /^refused/],
  ])('%s is taken as by psql', async (text, outcome, environment = {}) => {
    const url = filled(text);
    const variables = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, filled(value)]),
    );

    const [psql, us] = await Promise.all([byPsql(url, variables), byUs(url, variables)]);

    expect(us).toBe(psql);
    expect(us).toMatch(outcome);
  });

  // It would send in clear text what somebody wants to be encrypted, and it would verify nothing.
  test.each([
    'postgres://ME@TLS/plants?sslmode=prefer&sslrootcert=FOLDER/other.crt',
    'postgres://ME@TLS/plants?sslmode=require&sslrootcert=FOLDER/none.crt',
  ])('%s is taken by psql, and not here', async (text) => {
    expect(await byPsql(filled(text), {})).toMatch(/^(?:clear|TLS)/);
    expect(await byUs(filled(text), {})).toBe('refused');
  });
});
