import { isIPv6 } from 'node:net';

/** The servers of a shared inbox, of which one at a time can be written to. */
export interface PostgresServers {
  /** A URL for each server, with the password. */
  readonly urls: readonly string[];
  /** All of them, without the password. */
  readonly location: string;
}

const POSTGRES_URL = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/([^/?#]+)(\?[^#]*)?$/;

/**
 * The servers that a `postgres:` URL names as psql takes it: user, password, hosts separated by commas, each perhaps with
 * a port, and the database. Parameters `host` and `port` go before the hosts. A host that begins with `/` is the folder
 * of a Unix socket.
 *
 * @throws TypeError if it names no server or no database. The message doesn't contain the URL, which has a password.
 */
export function postgresServers(url: string): PostgresServers {
  const [, credentials, authority = '', database, query = ''] = POSTGRES_URL.exec(url) ?? [];
  const [user] = credentials?.split(':') ?? [];
  const at = (text: string | undefined): string => (text ? `${text}@` : '');
  const { hosts, parameters } = withoutServers(authority, query);
  const urls = hosts.map((host) => `postgres://${at(credentials)}${host}/${database}${parameters}`);
  if (
    database === undefined ||
    !hosts.every((host) => /^[^:]/.test(host)) ||
    !urls.every((each) => URL.canParse(each))
  )
    throw new TypeError('The URL names no server and database.');
  return { urls, location: `postgres://${at(user)}${hosts.join(',')}/${database}` };
}

/** The hosts, each as a URL has it, and the parameters that aren't about them. */
function withoutServers(
  authority: string,
  query: string,
): { readonly hosts: readonly string[]; readonly parameters: string } {
  const parameters = new URLSearchParams(query);
  const [host, port] = [parameters.get('host'), parameters.get('port')];
  if (host === null && port === null) return { hosts: authority.split(','), parameters: query };
  parameters.delete('host');
  parameters.delete('port');
  const hosts =
    host?.split(',').map(hostInUrl) ?? authority.split(',').map((each) => each.replace(/:\d+$/, ''));
  const ports = port?.split(',') ?? [];
  // One port is that of every host.
  const portOf = (index: number): string | undefined => (ports.length === 1 ? ports[0] : ports[index]);
  return {
    hosts: hosts.map((each, index) => (portOf(index) ? `${each}:${portOf(index)}` : each)),
    parameters: parameters.size > 0 ? `?${parameters.toString()}` : '',
  };
}

const hostInUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : encodeURIComponent(host));

/** Whether a URL is one of PostgreSQL, right or wrong. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url);
}
