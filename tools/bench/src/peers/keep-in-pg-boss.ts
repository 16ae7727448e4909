import PgBoss from 'pg-boss';

import type { Keep } from './peer.js';

/**
 * Keeps deliveries as jobs of pg-boss, which one worker handles in batches: it does nothing.
 *
 * @param url of a database of PostgreSQL
 */
export async function keepInPgBoss(url: string): Promise<Keep> {
  const boss = new PgBoss(url);
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('deliveries');
  await boss.work('deliveries', { batchSize: 500, pollingIntervalSeconds: 0.5 }, async () => undefined);
  return async ({ mediaType, content }) => {
    await boss.send('deliveries', { mediaType, content: content.toString('base64') });
  };
}
