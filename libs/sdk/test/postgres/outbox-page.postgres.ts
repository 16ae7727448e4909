/** Runs the examples of docs/outbox.md. */
import { join } from 'node:path';
import { withPostgres } from '@plant-store/test-support/postgres-tests';
import { withEverythingOpen, writeDocumented } from '../support/documented.js';
import { acknowledge, startRawServer } from '../support/raw-server.js';
import { type Running, startProcess } from '../support/run-process.js';
import { openTestOutbox } from './outboxes.js';

withPostgres('the examples of docs/outbox.md', () => {
  test('record a plant, deliver it and stop', async () => {
    const { pool, outbox, row } = await openTestOutbox();
    await pool.query('CREATE TABLE plant (content text)');
    const server = await startRawServer(acknowledge);
    const folder = writeDocumented('docs/outbox.md');
    const env = {
      PLANT_STORE_OUTBOX_URL: pool.options.connectionString!,
      RECEIVER_URL: server.url,
      ACCESS_TOKEN: 'token',
    };
    const start = (file: string): Running =>
      startProcess(process.execPath, withEverythingOpen(join(folder, file)), { env });

    expect(await start('add-plant.mjs').finished).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await row('SELECT content FROM plant')).toEqual({ content: 'arbitrary' });
    expect(await outbox.status()).toMatchObject({ waiting: 1 });
    const relay = start('relay.mjs');
    const { content } = await server.request(0);
    relay.child.kill('SIGTERM');

    expect(JSON.parse(String(content))).toEqual({ arbitrary: 'content' });
    expect(await relay.finished).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await outbox.status()).toMatchObject({ waiting: 0, sending: 0, parked: 0 });
  });
});
