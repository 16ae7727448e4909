import { createNewPlantSender, json } from '@plant-store/sdk';
import { createOutbox, createRelay } from '@plant-store/sdk/outbox';
import pg from 'pg';

// A bundle in CommonJS has no await at its top.
async function main([baseUrl, connectionString]) {
  const pool = new pg.Pool({ connectionString });
  const outbox = createOutbox({ database: pool, encode: json });
  await outbox.migrate();

  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('CREATE TABLE plant (content text)');
  await outbox.enqueue(client, { from: 'esm' });
  await client.query('COMMIT');
  client.release();

  const sender = createNewPlantSender({ baseUrl, accessToken: 'token', method: 'POST', encode: json });
  const relay = createRelay({ outbox, sender, retry: false });
  await relay.start();
  const left = ({ waiting, sending }) => waiting + sending;
  while (left(await outbox.status()) > 0);
  await relay.stop();
  await sender.close();
  const { parked } = await outbox.status();
  await pool.end();
  console.log(parked === 0 ? 'delivered' : 'parked');
}

void main(process.argv.slice(2));
