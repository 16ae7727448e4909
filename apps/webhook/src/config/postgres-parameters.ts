import { nearest } from './unknown-variables.js';

/** One that PostgreSQL's clients take in a URL, and what this receiver does with it. */
interface Parameter {
  /** The variable that gives it if the URL doesn't. */
  readonly variable?: string;
  /** What it may be; by default any text. */
  readonly values?: readonly string[];
  readonly pattern?: readonly [matching: RegExp, description: string];
  /** Why it can't be set, and what to do. */
  readonly refused?: string;
}

const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const FROM_THE_KERNEL = 'Node.js leaves it to the kernel; remove it';
const NO_GSSAPI = 'the receiver has no GSSAPI; remove it';

/** Every parameter of a connection up to PostgreSQL 18. Whatever else a URL has is a mistake. */
const PARAMETERS = {
  host: { variable: 'PGHOST' },
  port: { variable: 'PGPORT' },
  dbname: { variable: 'PGDATABASE' },
  user: { variable: 'PGUSER' },
  password: { variable: 'PGPASSWORD' },
  passfile: { variable: 'PGPASSFILE' },
  sslmode: {
    variable: 'PGSSLMODE',
    values: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'],
  },
  sslnegotiation: { variable: 'PGSSLNEGOTIATION', values: ['postgres', 'direct'] },
  sslrootcert: { variable: 'PGSSLROOTCERT' },
  sslcert: { variable: 'PGSSLCERT' },
  sslkey: { variable: 'PGSSLKEY' },
  sslpassword: {},
  sslcertmode: { variable: 'PGSSLCERTMODE', values: ['allow', 'disable'] },
  ssl_min_protocol_version: { variable: 'PGSSLMINPROTOCOLVERSION', values: TLS_VERSIONS },
  ssl_max_protocol_version: { variable: 'PGSSLMAXPROTOCOLVERSION', values: TLS_VERSIONS },
  channel_binding: { variable: 'PGCHANNELBINDING', values: ['disable', 'prefer', 'require'] },
  target_session_attrs: { variable: 'PGTARGETSESSIONATTRS', values: ['any', 'read-write', 'primary'] },
  connect_timeout: {
    variable: 'PGCONNECT_TIMEOUT',
    pattern: [/^[1-9]\d{0,5}$/, 'a whole number of seconds from 1'],
  },
  application_name: { variable: 'PGAPPNAME' },
  fallback_application_name: {},
  options: { variable: 'PGOPTIONS' },
  keepalives: { values: ['0', '1'] },
  keepalives_idle: { pattern: [/^\d{1,6}$/, 'a whole number of seconds'] },

  // What these may be is what the receiver does anyway.
  client_encoding: { values: ['UTF8', 'utf8', 'auto'] },
  gssencmode: { variable: 'PGGSSENCMODE', values: ['disable', 'prefer'] },
  load_balance_hosts: { variable: 'PGLOADBALANCEHOSTS', values: ['disable'] },
  min_protocol_version: { variable: 'PGMINPROTOCOLVERSION', values: ['3.0'] },
  max_protocol_version: { variable: 'PGMAXPROTOCOLVERSION', values: ['3.0', '3.2', 'latest'] },
  sslcompression: { variable: 'PGSSLCOMPRESSION', values: ['0'] },
  sslsni: { variable: 'PGSSLSNI', values: ['1'] },

  gssdelegation: { variable: 'PGGSSDELEGATION', refused: NO_GSSAPI },
  gsslib: { variable: 'PGGSSLIB', refused: NO_GSSAPI },
  hostaddr: { variable: 'PGHOSTADDR', refused: 'write the address as the host' },
  keepalives_count: { refused: FROM_THE_KERNEL },
  keepalives_interval: { refused: FROM_THE_KERNEL },
  krbsrvname: { variable: 'PGKRBSRVNAME', refused: NO_GSSAPI },
  oauth_client_id: { refused: 'the receiver has no OAuth; remove it' },
  oauth_client_secret: { refused: 'the receiver has no OAuth; remove it' },
  oauth_issuer: { refused: 'the receiver has no OAuth; remove it' },
  oauth_scope: { refused: 'the receiver has no OAuth; remove it' },
  replication: { refused: 'remove it' },
  require_auth: { variable: 'PGREQUIREAUTH', refused: 'write channel_binding=require, or remove it' },
  requirepeer: { variable: 'PGREQUIREPEER', refused: 'restrict who may write the folder of the socket' },
  requiressl: { variable: 'PGREQUIRESSL', refused: 'write sslmode=require' },
  scram_client_key: { refused: 'give the password' },
  scram_server_key: { refused: 'give the password' },
  service: { variable: 'PGSERVICE', refused: 'write what the service has into the URL' },
  servicefile: { refused: 'write what the service has into the URL' },
  sslcrl: { variable: 'PGSSLCRL', refused: 'revoked certificates are not looked up; remove it' },
  sslcrldir: { variable: 'PGSSLCRLDIR', refused: 'revoked certificates are not looked up; remove it' },
  sslkeylogfile: { refused: 'start with NODE_OPTIONS=--tls-keylog=FILE' },
  tcp_user_timeout: { refused: FROM_THE_KERNEL },
} as const satisfies Readonly<Record<string, Parameter>>;

/** What a URL and the environment say, each as text. What has no value isn't there. */
export type PostgresParameters = Readonly<Partial<Record<keyof typeof PARAMETERS, string>>>;

/** Parameters that this receiver can't do what they say. The message has no value: one may be a secret. */
export class ParameterFault extends TypeError {}

/** Modes of TLS that encrypt, or refuse. */
const SAFE_MODES = ['require', 'verify-ca', 'verify-full'];

/**
 * Adds what the environment has for parameters that a URL doesn't name.
 *
 * @throws ParameterFault with a sentence for each that is unknown, wrong, or not supported
 */
export function withEnvironment(
  given: ReadonlyMap<string, string>,
  environment: Readonly<Record<string, string | undefined>>,
): PostgresParameters {
  const known = new Map<string, Parameter>(Object.entries(PARAMETERS));
  const faults = [...given.keys()]
    .filter((name) => !known.has(name))
    .map(
      (name) => `${name} isn't a parameter of PostgreSQL; did you mean ${nearest(name, [...known.keys()])}?`,
    );
  const parameters: Record<string, string> = {};
  for (const [name, parameter] of known) {
    const { variable = '' } = parameter;
    const [source, value] = given.has(name) ? [name, given.get(name)] : [variable, environment[variable]];
    if (!value) continue;
    parameters[name] = value;
    const fault = faultOf(value, parameter);
    if (fault !== undefined) faults.push(`${source} ${fault}`);
  }
  faults.push(...contradictions(parameters));
  if (faults.length > 0) throw new ParameterFault(faults.join('; '));
  return parameters;
}

function faultOf(value: string, { values, pattern, refused }: Parameter): string | undefined {
  if (refused !== undefined) return `isn't supported: ${refused}`;
  if (values !== undefined && !values.includes(value))
    return `must be ${values.length === 1 ? values[0] : `one of ${values.join(', ')}`}`;
  return pattern?.[0].test(value) === false ? `must be ${pattern[1]}` : undefined;
}

function contradictions({ sslmode, sslnegotiation, sslrootcert }: PostgresParameters): string[] {
  const faults = [];
  if (sslrootcert === 'system' && (sslmode ?? 'verify-full') !== 'verify-full')
    faults.push('sslrootcert=system needs sslmode=verify-full');
  if (sslnegotiation === 'direct' && sslrootcert !== 'system' && !SAFE_MODES.includes(sslmode ?? ''))
    faults.push(`sslnegotiation=direct needs sslmode to be one of ${SAFE_MODES.join(', ')}`);
  return faults;
}
