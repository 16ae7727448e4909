/** Prisma is too large for the lock file: it is installed here. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import { withEverythingOpen } from './support/documented.js';
import { startProcess } from './support/run-process.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const packages = ['prisma@7.10.1', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.1', 'pg@8.23.1'];
const schema = `generator client {
  provider = "prisma-client-js"
}
datasource db {
  provider = "postgresql"
}
`;

withPostgres('enqueue in a transaction of Prisma', () => {
  test('is committed and rolled back with the caller, and is refused outside', async () => {
    const folder = makeFolder();
    const run = async (command: string, args: readonly string[], env = {}): Promise<string> => {
      const { code, stdout, stderr } = await startProcess(command, args, { cwd: folder, env }).finished;
      if (code !== 0) throw new Error(`${command} exited with ${code}:\n${stdout}${stderr}`);
      return stdout;
    };
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
    mkdirSync(join(folder, 'prisma'));
    writeFileSync(join(folder, 'prisma/schema.prisma'), schema);
    // It needs no engine to generate, and would download one.
    await run('npx', ['prisma', 'generate'], { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' });
    mkdirSync(join(folder, 'node_modules/@plant-store'));
    symlinkSync(join(here, '..'), join(folder, 'node_modules/@plant-store/sdk'));
    cpSync(join(here, 'fixtures/prisma.mjs'), join(folder, 'prisma.mjs'));

    const url = await (await postgresOfThisFile()).createDatabase();
    const printed = await run(process.execPath, withEverythingOpen(join(folder, 'prisma.mjs')), {
      PLANT_STORE_OUTBOX_URL: url,
    });

    expect(JSON.parse(printed)).toEqual({
      refused: 'PLANT_STORE_OUTBOX_NO_TRANSACTION',
      isWhole: [true],
    });
  }, 300_000);
});
