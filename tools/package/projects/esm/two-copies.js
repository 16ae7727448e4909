/** A relay, and a sender of another copy of the SDK, as in a workspace whose packages have different peers. */
import { createOutbox, createRelay } from '@plant-store/sdk/outbox';
import pg from 'pg';
import { createNewPlantSender, json } from '../commonjs/node_modules/@plant-store/sdk/dist/index.js';

const [baseUrl, connectionString] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString });
const outbox = createOutbox({ database: pool, encode: json });
await outbox.migrate();
const client = await pool.connect();
await client.query('BEGIN');
await outbox.enqueue(client, { from: 'two copies' });
await client.query('COMMIT');
client.release();

const sender = createNewPlantSender({ baseUrl, accessToken: 'token', method: 'POST', encode: json });
let asked;
const retry = ({ error }) => {
  asked = error.code;
};
// The receiver does not acknowledge it, and it is parked.
const relay = await new Promise((resolve) => {
  const started = createRelay({ outbox, sender, retry, onParked: () => resolve(started) });
  void started.start();
});
await relay.stop();
await sender.close();
await pool.end();
console.log(asked ?? 'not asked');
