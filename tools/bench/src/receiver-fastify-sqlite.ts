/** Raw Fastify with the same bearer check, and with SQLite. It has no handler and no limits. */
import { join } from 'node:path';
import { serve } from './fastify-server.js';
import { keepInSqlite } from './keep-in-sqlite.js';

const [accessToken = '', folder = ''] = process.argv.slice(2);
await serve(accessToken, keepInSqlite(join(folder, 'floor.sqlite')));
