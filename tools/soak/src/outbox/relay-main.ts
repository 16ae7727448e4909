/** A relay of the kill loop. Arguments: the URL of the database, the address of the receiver, and its access token. */
import { bytes, createNewPlantSender } from '@plant-store/sdk';
import { createOutbox, createRelay } from '@plant-store/sdk/outbox';
import pg from 'pg';

const [url, baseUrl, accessToken] = process.argv.slice(2) as [string, string, string];
const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5_000 });
pool.on('error', () => undefined);
const encode = bytes('text/plain');
// Under the answers of the kill loop, which the compiler doesn't know.
const sender = createNewPlantSender({
  baseUrl,
  accessToken,
  method: 'POST',
  encode,
} as never);
const relay = createRelay({
  outbox: createOutbox({ database: pool, encode } as never),
  sender,
  retry: () => 50,
  pollInterval: 20,
});

process.on('SIGTERM', () => void stop());
for (;;) {
  try {
    await relay.start();
    break;
  } catch {
    // PostgreSQL may be starting.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stop(): Promise<void> {
  await relay.stop();
  await sender.close();
  await pool.end();
  process.exit(0);
}
