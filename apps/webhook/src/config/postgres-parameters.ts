/** One that PostgreSQL's clients take in a URL, and what this receiver does with it. */
interface Parameter {
  /** The variable that gives it if the URL doesn't. */
  readonly variable?: string;
  /** What it may be; by default any text. */
  readonly values?: readonly string[];
  readonly pattern?: readonly [matching: RegExp, description: string];
}

const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/** The parameters that this receiver carries out. Any other one of a URL is refused. */
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
} as const satisfies Readonly<Record<string, Parameter>>;

/** Variables of psql whose parameters this receiver doesn't carry out. Most would make a connection safer. */
const REFUSED_VARIABLES = [
  ...['PGGSSDELEGATION', 'PGGSSLIB', 'PGHOSTADDR', 'PGKRBSRVNAME', 'PGREQUIREAUTH', 'PGREQUIREPEER'],
  ...['PGREQUIRESSL', 'PGSERVICE', 'PGSSLCRL', 'PGSSLCRLDIR'],
];

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
  const refused = [...given.keys()].filter((name) => !known.has(name));
  refused.push(...REFUSED_VARIABLES.filter((name) => environment[name]));
  const faults = refused.map((name) => `${name} isn't supported; remove it`);
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

function faultOf(value: string, { values, pattern }: Parameter): string | undefined {
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
