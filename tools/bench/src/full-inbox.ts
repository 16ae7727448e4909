/**
 * `npm run bench full-inbox`: compares the receiver that keeps 1,000,000 deliveries with one whose inbox is empty, and
 * measures how fast a backlog of 100,000 is handled. Needs 2 GB on the disk. Takes about two minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { compare, ratio } from './compare.js';
import { measureReceiver } from './compare-receivers.js';
import { body, type ServerContender, startReceiver, stop } from './servers.js';

/** What is used of the embedded inbox that the receiver was built with. */
interface BuiltInbox {
  accept(delivery: object): Promise<number>;
  claim(limit: number): Promise<{ readonly deliveries: readonly Counted[] }>;
  settle(delivery: Counted, result: { readonly kind: 'handled' }): Promise<void>;
  close(): Promise<void>;
}
interface Counted {
  readonly id: number;
  readonly failures: number;
}

const kept = 1_000_000;
const backlog = 100_000;
const starts = 5;
const looks = 9;
const built = new URL('../../../apps/webhook/dist/inbox/sqlite-inbox.js', import.meta.url);

const { openSqliteInbox } = (await import(built.href)) as { openSqliteInbox: (folder: string) => BuiltInbox };
const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const running: ServerContender[] = [];
try {
  const full = join(folder, 'full');
  await fill(full, kept, true);
  await measureStarts(full);
  running.push(await startReceiver('an empty inbox', join(folder, 'empty')));
  running.push(await startReceiver(`${kept.toLocaleString('en')} are kept`, full));
  await compare({
    title: '1 kB of JSON, 50 connections',
    contenders: running,
    rounds: 5,
    measure: (contender) => measureReceiver(contender, 50),
    columns: {
      'deliveries/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
      'p99 ms': ({ p99 }) => p99.toFixed(0),
      'of an empty inbox': ({ perSecond }, [empty]) => ratio(perSecond, empty.perSecond),
    },
  });
  await measureLooks(full, running[1]!.operations);
  await Promise.all(running.splice(0).map((contender) => stop(contender.process)));
  await measureBacklog({});
  await measureBacklog({ HANDLER_PROCESS: 'own' });
  await measureBacklog({ HANDLER_PROCESS: 'own', HANDLER_CONCURRENCY: '64' });
} finally {
  await Promise.all(running.map((contender) => stop(contender.process)));
  rmSync(folder, { recursive: true });
}

/** Stores deliveries of 1 kB in an inbox. */
async function fill(path: string, count: number, isHandled: boolean): Promise<void> {
  const inbox = openSqliteInbox(path);
  const fields = [['content-type', 'application/json']];
  const head = {
    method: 'POST',
    mediaType: 'application/json',
    contentEncoding: null,
    eventId: null,
    fields,
  };
  const delivery = { ...head, content: Buffer.from(body) };
  for (let stored = 0; stored < count; stored += 1_000) {
    await Promise.all(Array.from({ length: 1_000 }, () => inbox.accept(delivery)));
    if (!isHandled) continue;
    const { deliveries } = await inbox.claim(1_000);
    await Promise.all(deliveries.map((one) => inbox.settle(one, { kind: 'handled' })));
  }
  await inbox.close();
}

async function measureStarts(full: string): Promise<void> {
  const milliseconds = { empty: [] as number[], full: [] as number[] };
  for (let start = 0; start < starts; start += 1) {
    milliseconds.empty.push(await timeOfStart(join(folder, `start ${start}`)));
    milliseconds.full.push(await timeOfStart(full));
  }
  print('A start with an empty inbox', median(milliseconds.empty));
  print(`A start with ${kept.toLocaleString('en')} kept`, median(milliseconds.full));
}

async function timeOfStart(path: string): Promise<number> {
  const start = performance.now();
  const receiver = await startReceiver('', path);
  const time = performance.now() - start;
  await stop(receiver.process);
  return time;
}

/** What people look at while the receiver runs. */
async function measureLooks(full: string, operations: string): Promise<void> {
  const database = new Database(join(full, 'inbox.sqlite'));
  const overview = database.prepare('SELECT * FROM overview ORDER BY id DESC LIMIT 50');
  const timeOf = async (look: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let count = 0; count < looks; count += 1) {
      const start = performance.now();
      await look();
      times.push(performance.now() - start);
    }
    return median(times);
  };
  const ask = async (path: string): Promise<void> => {
    const response = await fetch(new URL(path, operations));
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    await response.arrayBuffer();
  };
  print('The last 50 rows of overview', await timeOf(() => overview.all([])));
  print(
    "The inspector's first page",
    await timeOf(() => Promise.all([ask('/deliveries?limit=50'), ask('/stats')])),
  );
  database.close();
}

/** From the start of the process until everything is handled. */
async function measureBacklog(environment: Readonly<Record<string, string>>): Promise<void> {
  const settings = Object.entries(environment).map((setting) => setting.join('='));
  const path = join(folder, ['backlog', ...settings].join(' '));
  await fill(path, backlog, false);
  const start = performance.now();
  const receiver = await startReceiver('', path, environment);
  running.push(receiver);
  while ((await waitingOf(receiver.operations)) > 0);
  const time = performance.now() - start;
  print([`A backlog of ${backlog.toLocaleString('en')}`, ...settings].join(', '), time);
  await stop(running.pop()!.process);
}

async function waitingOf(operations: string): Promise<number> {
  const response = await fetch(new URL('/stats', operations));
  return ((await response.json()) as { waiting: number }).waiting;
}

function print(what: string, milliseconds: number): void {
  console.log(`${what}: ${Math.round(milliseconds).toLocaleString('en')} ms`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!;
}
