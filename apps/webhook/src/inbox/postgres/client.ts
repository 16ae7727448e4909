import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';

import pg from 'pg';

import type { PostgresParameters } from '../../config/postgres-parameters.js';
import type { PostgresAddress, PostgresServers } from '../../config/postgres-url.js';

/**
 * How to try a server, one after the other: with TLS (true) or in clear text. Where libpq has no TLS, on a Unix socket,
 * there is none.
 */
export function waysTo({ host }: PostgresAddress, parameters: PostgresParameters): readonly boolean[] {
  const mode = modeOf(parameters);
  if (host.startsWith('/') || mode === 'disable') return [false];
  if (mode === 'allow') return [false, true];
  return mode === 'prefer' ? [true, false] : [true];
}

/**
 * Whether the other way may be tried after an error. In clear text only if that is what the server asks for: libpq also
 * does it after a handshake that failed.
 */
export function mayTryOtherWay(isSecure: boolean, error: unknown): boolean {
  if (!isSecure) return error instanceof pg.DatabaseError;
  return hasNoTls(error) || (error as { code?: string }).code === REFUSED_BY_HBA;
}

/** SQLSTATE of a connection that pg_hba.conf doesn't have (invalid_authorization_specification). */
const REFUSED_BY_HBA = '28000';

/** What `pg` says of a server that has no TLS. */
export const hasNoTls = (error: unknown): boolean =>
  (error as Error).message === 'The server does not support SSL connections';

/** A client for one server, which reads the files of certificates and passwords for each connection. */
export function clientFor(
  { user, database, parameters }: Omit<PostgresServers, 'addresses'>,
  { host, port }: PostgresAddress,
  isSecure: boolean,
): new (config?: pg.ClientConfig) => pg.Client {
  const { channel_binding: binding = 'prefer', sslnegotiation } = parameters;
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({
        ...config,
        host,
        port,
        user,
        database,
        password: () => passwordFor({ host, port }, user, database, parameters),
        ssl: isSecure && tlsOptions(parameters),
        enableChannelBinding: isSecure && binding !== 'disable',
        ...(isSecure && sslnegotiation === 'direct' && { sslnegotiation }),
      });
      if (binding === 'require') requireBinding(this.connection);
    }
  };
}

function modeOf({ sslmode, sslrootcert }: PostgresParameters): string {
  return sslmode ?? (sslrootcert === 'system' ? 'verify-full' : 'prefer');
}

const fileOfHome = (name: string): string | undefined => {
  const file = join(homedir(), '.postgresql', name);
  return existsSync(file) ? file : undefined;
};

function tlsOptions(parameters: PostgresParameters): ConnectionOptions {
  const mode = modeOf(parameters);
  const {
    sslrootcert: root = fileOfHome('root.crt'),
    sslcert = fileOfHome('postgresql.crt'),
    sslkey = fileOfHome('postgresql.key'),
    ssl_min_protocol_version: minVersion = 'TLSv1.2',
    ssl_max_protocol_version: maxVersion,
  } = parameters;
  // Without one, verify-full trusts those whom Node.js trusts: they give nobody a certificate for the name of another.
  if (mode === 'verify-ca' && root === undefined)
    throw new Error('sslmode=verify-ca needs sslrootcert, the file of the certificate authority');
  const isNamed = root !== undefined && root !== 'system';
  return {
    rejectUnauthorized: isNamed || mode === 'verify-full',
    minVersion: minVersion as 'TLSv1.2',
    ...(maxVersion !== undefined && { maxVersion: maxVersion as 'TLSv1.2' }),
    ...(isNamed && { ca: readFileSync(root) }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(sslcert !== undefined &&
      parameters.sslcertmode !== 'disable' && {
        cert: readFileSync(sslcert),
        ...(sslkey !== undefined && { key: readFileSync(sslkey) }),
        ...(parameters.sslpassword !== undefined && { passphrase: parameters.sslpassword }),
      }),
  };
}

/** Breaks a connection off before it answers whoever can't prove to be the server with that certificate. */
function requireBinding(connection: pg.Connection): void {
  let isOffered = false;
  let isBound = false;
  const refuse = (): void =>
    void connection.stream.destroy(
      new Error('channel_binding=require, and the server offers no authentication with it'),
    );
  connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
    isOffered = mechanisms.includes('SCRAM-SHA-256-PLUS');
    if (!isOffered) refuse();
  });
  connection.on('authenticationCleartextPassword', refuse);
  connection.on('authenticationMD5Password', refuse);
  connection.on('authenticationSASLFinal', () => (isBound = isOffered));
  connection.on('authenticationOk', () => isBound || refuse());
}

/** Only asked for if the server wants one. */
function passwordFor(
  { host, port }: PostgresAddress,
  user: string,
  database: string,
  { password, passfile = join(homedir(), '.pgpass') }: PostgresParameters,
): string {
  const found = password ?? passwordIn(passfile, [host, String(port), database, user]);
  if (found === undefined) throw new Error('the server asks for a password, and none is given');
  return found;
}

/** Looks a password up in a file whose lines are `host:port:database:user:password`, of which `*` is any. */
function passwordIn(file: string, wanted: readonly string[]): string | undefined {
  // Like psql, it takes nothing from a file that others may read.
  if (!existsSync(file) || (statSync(file).mode & 0o077) !== 0) return undefined;
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    // eslint-disable-next-line regexp/no-super-linear-move -- The file is this user's own.
    const fields = Array.from(line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g), ([, field]) =>
      field!.replace(/\\(.)/g, '$1'),
    );
    if (!line.startsWith('#') && wanted.every((value, index) => ['*', value].includes(fields[index]!)))
      return fields[4];
  }
  return undefined;
}
