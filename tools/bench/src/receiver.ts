/**
 * `npm run bench receiver`: compares the receiver, which flushes each delivery to disk, with raw Fastify that keeps
 * nothing, with raw Fastify and Nest on Fastify that keep in SQLite what they acknowledge, and with Nest on Express, which
 * keeps nothing. Takes about five minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareReceivers, startPeers } from './compare-receivers.js';
import { type ServerContender, startForked, startReceiver, stop } from './servers.js';

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const contenders: ServerContender[] = [];
try {
  const inbox = (): string => join(folder, String(contenders.length));
  await startPeers((peer) => contenders.push(peer), folder);
  contenders.push(await startForked('Nest on Fastify with SQLite', './receiver-nest-sqlite.js', folder));
  contenders.push(await startReceiver('the receiver, flushed to disk', inbox()));
  const moreMemory = { NODE_OPTIONS: '--max-semi-space-size=64' };
  contenders.push(await startReceiver('the same, --max-semi-space-size=64', inbox(), moreMemory));
  contenders.push(await startReceiver('the same, HANDLER_PROCESS=own', inbox(), { HANDLER_PROCESS: 'own' }));
  contenders.push(await startForked('Nest on Express, keeps nothing', './receiver-express.js'));
  await compareReceivers(contenders);
} finally {
  await Promise.all(contenders.map((contender) => stop(contender.process)));
  rmSync(folder, { recursive: true });
}
