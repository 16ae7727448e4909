/**
 * `npm run bench full-inbox`: compares the receiver that keeps 1,000,000 deliveries with one whose inbox is empty.
 * Needs 2 GB on the disk. Takes about four minutes.
 */
import { compare, count, ratio } from '../compare.js';
import { deliver } from '../deliver.js';
import { makeFolder, type Server, startReceiver, stop } from '../servers.js';

const KEPT = 1_000_000;

export default async function run(): Promise<void> {
  const full = { INBOX_URL: `file:${makeFolder()}` };
  const filling = await startReceiver('', full);
  await deliver(filling, 50, KEPT);
  await untilNothingWaits(filling);
  await stop(filling.process);

  await compare({
    title: '1 kB of JSON, 50 connections',
    contenders: [
      { name: 'an empty inbox', environment: { INBOX_URL: `file:${makeFolder()}` } },
      { name: `${count(KEPT)} are kept`, environment: full },
    ],
    measure: async ({ environment }) => {
      const start = performance.now();
      const receiver = await startReceiver('', environment);
      const started = performance.now() - start;
      const looked = await timeOf(() => {
        return ask(receiver, '/');
      });
      const figures = await deliver(receiver, 50);
      await stop(receiver.process);
      return { ...figures, started, looked };
    },
    columns: {
      'deliveries/s': ({ perSecond }) => count(perSecond),
      'p99 ms': ({ p99 }) => count(p99),
      'start ms': ({ started }) => count(started),
      "the inspector's first page ms": ({ looked }) => count(looked),
      'of an empty inbox': ({ perSecond }, [empty]) => ratio(perSecond, empty.perSecond),
    },
  });
}

async function untilNothingWaits(receiver: Server): Promise<void> {
  while ((JSON.parse(await ask(receiver, '/stats')) as { waiting: number }).waiting > 0);
}

/** The content of the operations listener's response. */
async function ask({ operations }: Server, path: string): Promise<string> {
  const response = await fetch(new URL(path, operations));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
