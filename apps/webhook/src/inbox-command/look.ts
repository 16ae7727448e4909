import { type Due, dueText } from '../inbox/due.js';
import {
  DELIVERY_STATES,
  type DeliverySummary,
  type InboxStats,
  type StoredDelivery,
} from '../inbox/inbox-operations.js';
import { withConnection } from './connection.js';
import { actsTable } from './acts.js';
import { jsonText, type Output, printable, shortTime, textOf, timeText } from './printable.js';
import { filterOf, type Selection } from './selection.js';
import { CommandError, type Terminal } from './terminal.js';

/** Colours of states on a terminal. */
const COLOURS = {
  waiting: 'yellow',
  running: 'cyan',
  retrying: 'yellow',
  handled: 'green',
  parked: 'red',
  discarded: 'gray',
} as const;

/** A list as the routes have it. */
export interface Listed {
  readonly deliveries: readonly DeliverySummary[];
}

/** `plant-inbox list` */
export async function list(
  terminal: Terminal,
  inbox: string,
  { limit, after, output, ...selection }: Selection & { limit: number; after?: number; output?: Output },
): Promise<void> {
  await withConnection(inbox, async ({ get }) => {
    const { deliveries } = await get<Listed>('/deliveries', {
      ...filterOf(selection),
      ...(after !== undefined && { after }),
      limit,
    });
    if (output === 'json') await terminal.write(jsonText(deliveries, 2));
    else if (deliveries.length > 0) await terminal.write(linesOf(terminal, deliveries).join(''));
    const last = deliveries.at(-1);
    if (last === undefined) terminal.report('No deliveries.');
    else if (deliveries.length === limit && last.id > 1)
      terminal.report(`For older ones: --after ${last.id}`);
  });
}

/** A line for each delivery, after one with headings. */
export function linesOf(terminal: Terminal, deliveries: readonly DeliverySummary[]): string[] {
  const rows = deliveries.map(({ id, state, receivedAt, bytes, attempts, eventId, error, reason }) => [
    id,
    state,
    shortTime(receivedAt),
    bytes,
    attempts,
    eventId ?? '',
    reason ?? error ?? '',
  ]);
  const headings = ['ID', 'STATE', 'RECEIVED', 'BYTES', 'ATTEMPTS', 'EVENT', 'ERROR OR REASON'];
  return terminal
    .table(rows, headings)
    .map(
      (line, index) =>
        `${terminal.style(index === 0 ? 'bold' : COLOURS[deliveries[index - 1]!.state], line)}\n`,
    );
}

/** A delivery as the routes have it, with its content in base64. */
export type ShownDelivery = Omit<StoredDelivery, 'content'> & { readonly content: string };

/** `plant-inbox show ID` */
export async function show(
  terminal: Terminal,
  inbox: string,
  id: number,
  { output }: { output?: Output | 'raw' },
): Promise<void> {
  if (output === 'raw' && terminal.isTTY)
    throw new CommandError('-o raw writes to a file or a pipe, not to a terminal: add > FILE.', 2);
  const { delivery, due } = await withConnection(inbox, async ({ get }) => {
    const found = await get<ShownDelivery>(`/deliveries/${id}`);
    return { delivery: found, due: found.dueAt === null ? undefined : await get<InboxStats>('/stats') };
  });
  const content = Buffer.from(delivery.content, 'base64');
  if (output === 'raw') return terminal.write(content);
  if (output === 'json') return terminal.write(jsonText(delivery, 2));
  const text = textOf(content);
  await terminal.write(
    headText(terminal, delivery, due) + (text ? `\n${printable(text).replace(/\n?$/, '\n')}` : ''),
  );
  if (text === undefined) terminal.report('The content is not text. To see its bytes, add -o raw | xxd');
}

/** What each member of a delivery is called. */
const LABELS = {
  id: 'id',
  state: 'state',
  receivedAt: 'received',
  attempts: 'attempts',
  startedAt: 'last began',
  endedAt: 'last ended',
  replayedAt: 'replayed',
  error: 'error',
  dueAt: 'due',
  reason: 'reason',
  eventId: 'event',
  method: 'method',
  mediaType: 'media type',
  contentEncoding: 'encoding',
  bytes: 'bytes',
} as const;

/**
 * Everything about a delivery but its content.
 *
 * @param due the time, and whether the handler is paused, for a delivery that comes again
 */
export function headText(
  terminal: Terminal,
  delivery: ShownDelivery,
  due?: Pick<Due, 'now' | 'isPaused'>,
): string {
  const { history, fields, acts } = delivery;
  const facts = (Object.keys(LABELS) as (keyof typeof LABELS)[])
    .filter((name) => delivery[name] !== null)
    .map((name) => [
      name === 'endedAt' && delivery.state === 'discarded' ? 'discarded' : LABELS[name],
      name === 'dueAt' && due !== undefined
        ? dueText({ dueAt: delivery.dueAt!, ...due }, shortTime)
        : String(timeText(name, delivery[name])),
    ]);
  const attempts = history.map(({ number, startedAt, duration, receiver, error }) => [
    number,
    shortTime(startedAt),
    duration === null ? 'cut off' : `${duration} ms`,
    receiver,
    error,
  ]);
  const stack = history.at(-1)?.stack;
  return [
    terminal.table(facts),
    history.length === 0 ? [] : terminal.table(attempts, ['FAILED', 'BEGAN', 'TOOK', 'RECEIVER', 'ERROR']),
    stack ? [printable(stack)] : [],
    acts.length === 0 ? [] : actsTable(terminal, acts),
    terminal.table(fields.map(([name, value]) => [`${name}:`, value])),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** `plant-inbox stats` */
export async function stats(
  terminal: Terminal,
  inbox: string,
  { output }: { output?: Output },
): Promise<void> {
  await withConnection(inbox, async ({ get, isRunning }) => {
    const found = await get<InboxStats>('/stats');
    if (output === 'json') return terminal.write(jsonText(found, 2));
    const { isPaused, oldestWaitingAt, bytes } = found;
    const lines = terminal.table([
      ...(isRunning === undefined ? [] : [['receiver', isRunning ? 'running' : 'stopped']]),
      ['handler', isPaused ? 'paused' : 'not paused'],
      ...DELIVERY_STATES.map((state) => [state, found[state].toLocaleString('en-US')]),
      ...(oldestWaitingAt === null ? [] : [['oldest', `waits since ${shortTime(oldestWaitingAt)}`]]),
      ['on disk', `${bytes.toLocaleString('en-US')} bytes`],
    ]);
    return terminal.write(`${lines.join('\n')}\n`);
  });
}
