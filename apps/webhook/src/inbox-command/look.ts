import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';

import { DELIVERY_STATES, type DeliverySummary, type StoredDelivery } from '../inbox/inbox-operations.js';
import { PAGE } from './batches.js';
import { withOperations } from './connection.js';
import { hexLines, jsonText, printable, textOf } from './printable.js';
import { filterOf, type Selection } from './selection.js';
import { CommandError, interruption, report, table, write } from './terminal.js';

/** Colours of states on a terminal. */
const COLOURS = {
  waiting: 'yellow',
  running: 'cyan',
  handled: 'green',
  parked: 'red',
  discarded: 'gray',
} as const;

/** A time as people read it, in UTC. */
const shownTime = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** `plant-inbox list` */
export async function list(
  inbox: string,
  { limit, after, json, ...selection }: Selection & { limit: number; after?: number; json?: true },
): Promise<void> {
  await withOperations(inbox, async ({ operations }) => {
    const page = { order: 'newest first', limit, ...(after !== undefined && { after }) } as const;
    const found = await operations.list(filterOf(selection), page);
    if (json) await write(jsonText(found, 2));
    else if (found.length > 0) await write(deliveryTable(found));
    const last = found.at(-1);
    if (last === undefined) report('No deliveries.');
    else if (found.length === limit && last.id > 1) report(`For older ones: --after ${last.id}`);
  });
}

function deliveryTable(deliveries: readonly DeliverySummary[]): string {
  const rows = deliveries.map(({ id, state, receivedAt, bytes, attempts, eventId, error, reason }) => [
    id,
    state,
    shownTime(receivedAt),
    bytes,
    attempts,
    eventId ?? '',
    reason ?? error ?? '',
  ]);
  const headings = ['ID', 'STATE', 'RECEIVED', 'BYTES', 'ATTEMPTS', 'EVENT', 'ERROR OR REASON'];
  const [heading, ...lines] = table(rows, headings);
  const coloured = lines.map((line, index) => styleText(COLOURS[deliveries[index]!.state], line));
  return [styleText('bold', heading!), ...coloured].map((line) => `${line}\n`).join('');
}

/** How long {@link tail} waits before it looks again, in milliseconds. */
const TAIL_INTERVAL = 1_000;

/** `plant-inbox tail`: ends with Ctrl-C */
export async function tail(inbox: string, { json }: { json?: true }): Promise<void> {
  const asJson = json ?? !process.stdout.isTTY;
  const interrupted = interruption();
  await withOperations(inbox, async ({ operations, isRunning }) => {
    if (isRunning === false)
      throw new CommandError('No receiver has the inbox open, so nothing arrives. Start it, then run tail.');
    const [before] = await operations.list({}, { order: 'newest first', limit: 1 });
    report('New deliveries follow. Ctrl-C ends this.');
    for (let last = before?.id ?? 0; !interrupted.aborted;) {
      const found = await operations.list({ firstId: last + 1 }, { order: 'oldest first', limit: PAGE });
      for (const delivery of found) await write(asJson ? jsonText(delivery, 0) : tailLine(delivery));
      last = found.at(-1)?.id ?? last;
      if (found.length < PAGE)
        await setTimeout(TAIL_INTERVAL, undefined, { signal: interrupted }).catch(() => undefined);
    }
  });
}

function tailLine({ id, state, receivedAt, bytes, eventId, mediaType, error }: DeliverySummary): string {
  const cells = [shownTime(receivedAt), id, state, `${bytes} bytes`, eventId ?? mediaType ?? '', error ?? ''];
  return `${styleText(COLOURS[state], table([cells])[0]!)}\n`;
}

/** `plant-inbox show ID` */
export async function show(
  inbox: string,
  id: number,
  form: { text?: true; hex?: true; raw?: true; json?: true },
): Promise<void> {
  if (form.raw && process.stdout.isTTY)
    throw new CommandError('--raw writes to a file or a pipe, not to a terminal: add > FILE.', 2);
  await withOperations(inbox, async ({ operations }) => {
    const delivery = await operations.find(id);
    if (delivery === undefined)
      throw new CommandError(`There is no delivery ${id}. It was deleted, or it never existed.`);
    const content = Buffer.from(delivery.content);
    if (form.raw) await write(content);
    else if (form.json) await write(jsonText({ ...delivery, content: content.toString('base64') }, 2));
    else await write(`${headText(delivery)}${contentText(content, form)}`);
  });
}

/** Everything about a delivery but its content. */
export function headText(delivery: StoredDelivery): string {
  const { fields, history, receivedAt, startedAt, endedAt, dueAt } = delivery;
  const time = (value: number | null): string | null =>
    value === null ? null : new Date(value).toISOString();
  const facts: [string, string | number | null][] = [
    ['id', delivery.id],
    ['state', delivery.state],
    ['received', time(receivedAt)],
    ['attempts', delivery.attempts],
    ['last began', time(startedAt)],
    ['last ended', time(endedAt)],
    ['error', delivery.error],
    ['due', time(dueAt)],
    ['reason', delivery.reason],
    ['event', delivery.eventId],
    ['method', delivery.method],
    ['media type', delivery.mediaType],
    ['encoding', delivery.contentEncoding],
    ['content', `${delivery.bytes} bytes`],
  ];
  const attempts = history.map(({ number, startedAt: began, duration, receiver, error }) => [
    number,
    shownTime(began),
    duration === null ? 'cut off' : `${duration} ms`,
    receiver,
    error,
  ]);
  const stack = history.at(-1)?.stack;
  return [
    table(facts.filter(([, value]) => value !== null).map(([name, value]) => [name, String(value)])),
    history.length === 0 ? [] : table(attempts, ['FAILED', 'BEGAN', 'TOOK', 'RECEIVER', 'ERROR']),
    stack ? [printable(stack)] : [],
    table(fields.map(([name, value]) => [`${name}:`, value])),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function contentText(content: Buffer, { text, hex }: { text?: true; hex?: true }): string {
  if (content.length === 0) return '';
  const shown = text ? new TextDecoder().decode(content) : textOf(content);
  if (hex || shown === undefined) return `\n${[...hexLines(content)].join('')}`;
  return `\n${printable(shown).replace(/\n?$/, '\n')}`;
}

/** `plant-inbox stats` */
export async function stats(inbox: string, { json }: { json?: true }): Promise<void> {
  await withOperations(inbox, async ({ operations, isRunning }) => {
    const found = await operations.stats();
    if (json) return write(jsonText(found, 2));
    const { isPaused, oldestWaitingAt, bytes } = found;
    const lines = table([
      ...(isRunning === undefined ? [] : [['receiver', isRunning ? 'running' : 'stopped']]),
      ['handler', isPaused ? 'paused' : 'not paused'],
      ...DELIVERY_STATES.map((state) => [state, found[state].toLocaleString('en-US')]),
      ...(oldestWaitingAt === null ? [] : [['oldest', `waits since ${shownTime(oldestWaitingAt)}`]]),
      ['on disk', `${bytes.toLocaleString('en-US')} bytes`],
    ]);
    return write(`${lines.join('\n')}\n`);
  });
}
