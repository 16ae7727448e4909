import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeFolder } from '@plant-store/test-support';
import { withPostgres } from '@plant-store/test-support/postgres-tests';
import { openOutbox } from './outboxes.js';
import { openNewDatabase } from './server.js';

const esbuild = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');

const PROGRAM = `
import { bytes } from '@plant-store/sdk';
import { createOutbox } from '@plant-store/sdk/outbox';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2] });
createOutbox({ database: pool, encode: bytes() }).migrate().finally(() => pool.end());`;

/** The client of PostgreSQL is CommonJS. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

withPostgres('a bundle', () => {
  test.each([
    ['cjs', []],
    ['esm', [`--banner:js=${REQUIRE}`]],
  ])('of esbuild as %s creates the tables, without a file beside it', async (format, options) => {
    const pool = await openNewDatabase();
    const bundle = join(makeFolder(), format === 'cjs' ? 'bundle.cjs' : 'bundle.mjs');
    const bundling = [
      '--bundle',
      '--platform=node',
      `--format=${format}`,
      '--external:pg-native',
      ...options,
    ];
    execFileSync(esbuild, [...bundling, `--outfile=${bundle}`, '--log-level=error'], {
      cwd: import.meta.dirname,
      input: PROGRAM,
    });

    execFileSync(process.execPath, [bundle, pool.options.connectionString!]);

    expect(await openOutbox(pool).status()).toMatchObject({ waiting: 0 });
  });
});
