import { postgresServers } from './postgres-url.js';

test.each([
  {
    url: 'postgres://user:secret@db.example/plants',
    urls: ['postgres://user:secret@db.example/plants'],
    location: 'postgres://user@db.example/plants',
  },
  {
    url: 'postgresql://db.example:5433/plants?sslmode=verify-full',
    urls: ['postgres://db.example:5433/plants?sslmode=verify-full'],
    location: 'postgres://db.example:5433/plants',
  },
  {
    url: 'postgres://user:secret@one.example:5433,two.example,[::1]:5434/plants',
    urls: [
      'postgres://user:secret@one.example:5433/plants',
      'postgres://user:secret@two.example/plants',
      'postgres://user:secret@[::1]:5434/plants',
    ],
    location: 'postgres://user@one.example:5433,two.example,[::1]:5434/plants',
  },
  {
    url: 'postgres://user@%2Fvar%2Frun%2Fpostgresql/plants',
    urls: ['postgres://user@%2Fvar%2Frun%2Fpostgresql/plants'],
    location: 'postgres://user@%2Fvar%2Frun%2Fpostgresql/plants',
  },
  {
    url: 'postgres:///plants?host=/run/postgresql',
    urls: ['postgres://%2Frun%2Fpostgresql/plants'],
    location: 'postgres://%2Frun%2Fpostgresql/plants',
  },
  {
    url: 'postgresql://user:secret@/plants?sslmode=require&host=one.example,::1&port=5433,5434',
    urls: [
      'postgres://user:secret@one.example:5433/plants?sslmode=require',
      'postgres://user:secret@[::1]:5434/plants?sslmode=require',
    ],
    location: 'postgres://user@one.example:5433,[::1]:5434/plants',
  },
  {
    url: 'postgres://user@one.example,two.example:9/plants?port=5433',
    urls: ['postgres://user@one.example:5433/plants', 'postgres://user@two.example:5433/plants'],
    location: 'postgres://user@one.example:5433,two.example:5433/plants',
  },
])('$location has a URL for each server, and no password', ({ url, ...want }) => {
  expect(postgresServers(url)).toEqual(want);
});

test.each([
  'postgres://',
  'postgres:db.example/plants',
  'postgres://db.example',
  'postgres://db.example/',
  'postgres://user:secret@/plants',
  'postgres:///plants',
  'postgres://:5433/plants',
  'postgres:///plants?host=',
  'postgres://db.example/?host=/run/postgresql',
  'postgres://one.example,,two.example/plants',
  'postgres://db.example:port/plants',
  'mysql://db.example/plants',
])('%j names no server and database', (url) => {
  expect(() => postgresServers(url)).toThrow('The URL names no server and database.');
});
