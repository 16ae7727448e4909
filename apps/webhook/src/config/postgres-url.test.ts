import { ParameterFault } from './postgres-parameters.js';
import { postgresServers } from './postgres-url.js';

const at = (host: string, port = 5432): object => ({ host, port });

test.each([
  {
    url: 'postgres://user:secret@db.example/plants',
    addresses: [at('db.example')],
    location: 'postgres://user@db.example/plants',
  },
  {
    url: 'postgresql://user@db.example:5433/plants?sslmode=verify-full',
    addresses: [at('db.example', 5433)],
    location: 'postgres://user@db.example:5433/plants',
  },
  {
    url: 'postgres://user:secret@one.example:5433,two.example,[::1]:5434/plants',
    addresses: [at('one.example', 5433), at('two.example'), at('::1', 5434)],
    location: 'postgres://user@one.example:5433,two.example,[::1]:5434/plants',
  },
  {
    url: 'postgres://user@%2Fvar%2Frun%2Fpostgresql/plants',
    addresses: [at('/var/run/postgresql')],
    location: 'postgres://user@%2Fvar%2Frun%2Fpostgresql/plants',
  },
  {
    url: 'postgres:///plants?host=/run/postgresql&user=user',
    addresses: [at('/run/postgresql')],
    location: 'postgres://user@%2Frun%2Fpostgresql/plants',
  },
  {
    url: 'postgresql://user:secret@/plants?sslmode=require&host=one.example,::1&port=5433,5434',
    addresses: [at('one.example', 5433), at('::1', 5434)],
    location: 'postgres://user@one.example:5433,[::1]:5434/plants',
  },
  {
    url: 'postgres://user@one.example,two.example:9/plants?port=5433',
    addresses: [at('one.example', 5433), at('two.example', 5433)],
    location: 'postgres://user@one.example:5433,two.example:5433/plants',
  },
])('$location has an address for each server, and no password', ({ url, addresses, location }) => {
  expect(postgresServers(url, {})).toMatchObject({ addresses, user: 'user', database: 'plants', location });
});

test('what the URL says goes before the variables of psql', () => {
  const environment = {
    PGUSER: 'other',
    PGPORT: '5433',
    PGSSLMODE: 'disable',
    PGOPTIONS: '-c jit=off',
    PGAPPNAME: '',
  };
  expect(postgresServers('postgres://user:secret@db.example?sslmode=require', environment)).toEqual({
    addresses: [at('db.example', 5433)],
    user: 'user',
    database: 'user',
    parameters: { password: 'secret', sslmode: 'require', options: '-c jit=off' },
    location: 'postgres://user@db.example:5433/user',
  });
});

test.each([
  'postgres://',
  'postgres:db.example/plants',
  'postgres://user:secret@/plants',
  'postgres:///plants',
  'postgres://:5433/plants',
  'postgres:///plants?host=',
  'postgres://one.example,,two.example/plants',
  'postgres://db.example:port/plants',
  'postgres://db.example:70000/plants',
  'postgres://one.example,two.example/plants?port=1,2,3',
  'postgres://[::1/plants',
  'postgres://user:sec/ret@db.example/plants',
  'mysql://db.example/plants',
])('%j names no server', (url) => {
  expect(() => postgresServers(url, { PGUSER: 'user' })).toThrow(new TypeError('The URL names no server.'));
});

test.each<[query: string, fault: string, environment?: Record<string, string>]>([
  ['sslMode=require', "sslMode isn't supported; remove it"],
  ['requiressl=1&sslmod=no', "requiressl isn't supported; remove it; sslmod isn't supported; remove it"],
  ['sslmode=no-verify', 'sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full'],
  ['channel_binding=yes', 'channel_binding must be one of disable, prefer, require'],
  ['connect_timeout=0', 'connect_timeout must be a whole number of seconds from 1'],
  ['target_session_attrs=standby', 'target_session_attrs must be one of any, read-write, primary'],
  ['gssencmode=require', 'gssencmode must be one of disable, prefer'],
  ['hostaddr=10.0.0.1', "hostaddr isn't supported; remove it"],
  ['sslrootcert=system&sslmode=require', 'sslrootcert=system needs sslmode=verify-full'],
  [
    'sslnegotiation=direct',
    'sslnegotiation=direct needs sslmode to be one of require, verify-ca, verify-full',
  ],
  ['sslmode', 'each parameter must be a name, = and a value'],
  ['application_name=a=b', 'each parameter must be a name, = and a value'],
  ['application_name=100%', 'write % as %25, and no character U+0000'],
  ['application_name=%00', 'write % as %25, and no character U+0000'],
  ['se@cret', 'write @ as %40 in a parameter or a password'],
  [
    '',
    'PGSSLMODE must be one of disable, allow, prefer, require, verify-ca, verify-full',
    { PGSSLMODE: 'on' },
  ],
  ['', "PGSERVICE isn't supported; remove it", { PGSERVICE: 'plants' }],
])('?%s is refused: %s', (query, fault, environment = {}) => {
  const url = `postgres://user:secret@db.example/plants?${query}`;
  expect(() => postgresServers(url, environment)).toThrow(new ParameterFault(fault));
});
