import { isIPv6 } from 'node:net';
import { userInfo } from 'node:os';

import { ParameterFault, type PostgresParameters, withEnvironment } from './postgres-parameters.js';

/** The servers of a shared inbox, of which one at a time can be written to, and how to connect to them. */
export interface PostgresServers {
  readonly addresses: readonly PostgresAddress[];
  readonly user: string;
  readonly database: string;
  /** Of the others, those that are set. */
  readonly parameters: PostgresParameters;
  /** All of them, without the password. */
  readonly location: string;
}

export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s;
const HOST_FORM = /^(?:\[([\da-f:.]*)\]|([^:[\]]*))(?::(\d*))?$/i;
const PORT_FORM = /^\d{0,5}$/;
const DEFAULT_PORT = 5432;

/**
 * The servers that a `postgres:` URL names, as psql takes it: what it doesn't say, psql's variables say. It must name a
 * server, since where the default socket is depends on how psql was built.
 *
 * @throws ParameterFault if it says what can't be done
 * @throws TypeError if it names no server. No message has a value, which may be a password.
 */
export function postgresServers(
  url: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): PostgresServers {
  const given = new Map(partsOf(url).map(([name, value]) => [decoded(name), decoded(value)]));
  const { host = '', port = '', user: named, ...parameters } = withEnvironment(given, environment);
  const user = named ?? systemUser();
  const { dbname: database = user } = parameters;
  const hosts = host.split(',');
  const ports = port.split(',');
  // One port is that of every host.
  const portOf = (index: number): string => (ports.length === 1 ? ports[0] : ports[index]) ?? '';
  if (
    hosts.includes('') ||
    (ports.length !== 1 && ports.length !== hosts.length) ||
    !ports.every((each) => PORT_FORM.test(each) && each !== '0' && Number(each) <= 65_535)
  )
    throw new TypeError('The URL names no server.');
  const places = hosts.map((each, index) => hostInUrl(each) + (portOf(index) && `:${portOf(index)}`));
  return {
    addresses: hosts.map((each, index) => ({ host: each, port: Number(portOf(index)) || DEFAULT_PORT })),
    user,
    database,
    parameters,
    location: `postgres://${named === undefined ? '' : `${encodeURIComponent(named)}@`}${places.join(',')}/${encodeURIComponent(database)}`,
  };
}

/** What a URL says of each parameter. What stands behind the question mark goes before the rest. */
function partsOf(url: string): (readonly [name: string, value: string])[] {
  const [match, credentials = '', authority = '', dbname = '', query = ''] = URL_FORM.exec(url) ?? [];
  const hosts = authority.split(',').map((each) => HOST_FORM.exec(each));
  if (match === undefined || hosts.includes(null)) throw new TypeError('The URL names no server.');
  // What follows may be the rest of a password that isn't encoded.
  if (query.includes('@')) throw new ParameterFault('write @ as %40 in a parameter or a password');
  const [user = '', ...password] = credentials.split(':');
  const before = {
    user,
    password: password.join(':'),
    host: hosts.map((each) => each![1] ?? each![2]).join(','),
    port: hosts.map((each) => each![3] ?? '').join(','),
    dbname,
  };
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split('='));
  return [
    ...Object.entries(before).filter(([, value]) => value !== ''),
    ...pairs.map(([name = '', value, ...more]) => {
      if (!/^[a-z]\w*$/i.test(name) || value === undefined || more.length > 0)
        throw new ParameterFault('each parameter must be a name, = and a value');
      // As other clients write it.
      return name === 'ssl' && value === 'true'
        ? (['sslmode', 'require'] as const)
        : ([name, value] as const);
    }),
  ];
}

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    if (!plain.includes('\0')) return plain;
  } catch {
    // It isn't told: it may be of a password.
  }
  throw new ParameterFault('write % as %25, and no character U+0000');
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    throw new ParameterFault('name a user: the one of this process has no name', { cause });
  }
}

const hostInUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : encodeURIComponent(host));

/** Whether a URL is one of PostgreSQL, right or wrong. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url);
}
