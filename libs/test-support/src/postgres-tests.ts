import { afterThisFile } from './clean-up.js';
import { findPostgres, PostgresServer } from './postgres-server.js';

const programs = findPostgres(process.env);

/** The tests in it are skipped if there is no PostgreSQL. */
export const withPostgres = programs === undefined ? describe.skip : describe;

let starting: Promise<PostgresServer> | undefined;

/** The server of this test file. The first call starts it. */
export function postgresOfThisFile(): Promise<PostgresServer> {
  starting ??= startPostgres();
  return starting;
}

/** Starts a server that runs until the end of the test file. */
export function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  return PostgresServer.start({ programs: programs!, settings }, afterThisFile);
}
