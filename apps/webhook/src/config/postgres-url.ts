/** The servers of a shared inbox, of which one at a time can be written to. */
export interface PostgresServers {
  /** A URL for each server, with the password. */
  readonly urls: readonly string[];
  /** All of them, without the password. */
  readonly location: string;
}

const POSTGRES_URL = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(\?[^#]*)?$/;

/**
 * The servers that a `postgres:` URL names: user, password, hosts separated by commas, each perhaps with a port, and the
 * database.
 *
 * @throws TypeError if it names no server or no database. The message doesn't contain the URL, which has a password.
 */
export function postgresServers(url: string): PostgresServers {
  const [, credentials, hosts = '', database, query = ''] = POSTGRES_URL.exec(url) ?? [];
  const [user] = credentials?.split(':') ?? [];
  const at = (text: string | undefined): string => (text ? `${text}@` : '');
  const urls = hosts.split(',').map((host) => `postgres://${at(credentials)}${host}/${database}${query}`);
  if (database === undefined || !hosts.split(',').every(Boolean) || !urls.every((each) => URL.canParse(each)))
    throw new TypeError('The URL names no server and database.');
  return { urls, location: `postgres://${at(user)}${hosts}/${database}` };
}

/** Whether a URL is one of PostgreSQL, right or wrong. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url);
}
