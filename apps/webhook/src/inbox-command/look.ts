import { printable, shortTime, textOf } from '@plant-store/command/printable';

import {
  type Act,
  DELIVERY_STATES,
  type DeliverySummary,
  type ErrorGroup,
  type InboxStats,
  type StoredDelivery,
} from '../inbox/inbox-operations.js';
import { type Due, dueText, gapText, runsOf } from '../inbox/in-words.js';
import { actsTable } from './acts.js';
import type { Connection } from './connection.js';
import { type Output, timeText } from './printable.js';
import { filterOf, type Selection } from './options.js';
import { CommandError, type Terminal } from './terminal.js';

/** A list as the routes have it. */
export interface Listed {
  readonly deliveries: readonly DeliverySummary[];
}

interface PageOptions {
  readonly limit: number;
  readonly after?: number;
  readonly output?: Output;
}

/** `plant-inbox list` */
export async function list(
  terminal: Terminal,
  { get }: Connection,
  { output, limit, after, ...selection }: Selection & PageOptions,
): Promise<void> {
  const { deliveries } = await get<Listed>('/deliveries', { ...filterOf(selection), after, limit });
  await terminal.print(output, deliveries, () => listText(terminal, deliveries));
  const none = 'such delivery has this error. For the errors that there are: plant-inbox errors';
  const what = selection.error === undefined ? 'deliveries' : none;
  reportNext(terminal, deliveries, what, deliveries.length < limit ? null : deliveries.at(-1)!.id);
}

/** `plant-inbox search TEXT` */
export async function search(
  terminal: Terminal,
  { get }: Connection,
  text: string,
  { output, limit, after, ...selection }: Selection & PageOptions,
): Promise<void> {
  const interrupted = terminal.interruption();
  const found: DeliverySummary[] = [];
  let next: number | null = after ?? Number.MAX_SAFE_INTEGER;
  while (next !== null && found.length < limit && !interrupted.aborted) {
    const query = { text, ...filterOf(selection), after: next, limit: limit - found.length };
    const part: Listed & { next: number | null } = await get('/deliveries/search', query);
    found.push(...part.deliveries);
    next = part.next;
    if (next !== null) terminal.showProgress(`Searching: down to delivery ${next}`);
  }
  terminal.showProgress('');
  await terminal.print(output, found, () => listText(terminal, found));
  reportNext(terminal, found, 'deliveries', next);
  if (interrupted.aborted) throw new CommandError('Interrupted.');
}

/** `plant-inbox acts` */
export async function acts(
  terminal: Terminal,
  { get }: Connection,
  { output, limit, after }: PageOptions,
): Promise<void> {
  const { acts: found } = await get<{ acts: Act[] }>('/acts', { limit, after });
  await terminal.print(output, found, () => actsTable(terminal, found));
  reportNext(terminal, found, 'acts', found.length < limit ? null : found.at(-1)!.id);
}

/** @param next where the page ends, if it is not known to be the last one */
function reportNext(terminal: Terminal, page: readonly object[], what: string, next: number | null): void {
  if (next !== null && next > 1) terminal.report(`For older ones: --after ${next}`);
  else if (page.length === 0) terminal.report(`No ${what}.`);
}

/** A line for each delivery, after one with headings. */
export function listText(terminal: Terminal, deliveries: readonly DeliverySummary[]): string {
  const rows = deliveries.map(({ id, state, receivedAt, bytes, attempts, eventId, error, reason }) => [
    ...[id, state, shortTime(receivedAt), bytes, attempts, eventId ?? '', reason ?? error ?? ''],
  ]);
  return terminal.table(rows, ['ID', 'STATE', 'RECEIVED', 'BYTES', 'ATTEMPTS', 'EVENT', 'ERROR OR REASON']);
}

/** `plant-inbox errors` */
export async function errors(
  terminal: Terminal,
  { get }: Connection,
  { output }: { output?: Output },
): Promise<void> {
  const { groups, complete } = await get<{ groups: readonly ErrorGroup[]; complete: boolean }>('/errors');
  const rows = groups.map(({ parked, retrying, firstAt, lastAt, message }) => [
    ...[parked, retrying, shortTime(firstAt), shortTime(lastAt), message],
  ]);
  const headings = ['PARKED', 'RETRYING', 'FIRST', 'LAST', 'ERROR'];
  // Whole errors: their causes are at the end, and --error takes them.
  await terminal.print(output, groups, () => terminal.table(rows, headings, false));
  if (groups.length === 0) terminal.report('No delivery is parked or retrying.');
  if (!complete)
    terminal.report(
      'There are more: only the newest 10,000 parked and 10,000 retrying deliveries are counted, and 50 errors listed.',
    );
}

/** A delivery as the routes have it, with its content in base64. */
export type ShownDelivery = Omit<StoredDelivery, 'content'> & { readonly content: string };

/** `plant-inbox show ID` */
export async function show(
  terminal: Terminal,
  { get }: Connection,
  id: number,
  { output }: { output?: Output | 'raw' },
): Promise<void> {
  if (output === 'raw' && terminal.isTTY)
    throw new CommandError('-o raw writes to a file or a pipe, not to a terminal: add > FILE.', 2);
  const delivery = await get<ShownDelivery>(`/deliveries/${id}`);
  const due = delivery.dueAt === null ? undefined : await get<InboxStats>('/stats');
  const content = Buffer.from(delivery.content, 'base64');
  if (output === 'raw') return terminal.write(content);
  const text = textOf(content);
  await terminal.print(output, delivery, () => {
    const shown = text && `\n${printable(text).replace(/\n?$/, '\n')}`;
    return headText(terminal, delivery, due) + (shown ?? '');
  });
  if (output !== 'json' && text === undefined)
    terminal.report('The content is not text. To see its bytes, add -o raw | xxd');
}

/** What each member of a delivery is called. */
const LABELS = {
  ...{ id: 'id', key: 'key', state: 'state', receivedAt: 'received', attempts: 'attempts' },
  ...{ startedAt: 'last began', endedAt: 'last ended', replayedAt: 'replayed', error: 'error' },
  ...{ dueAt: 'due', reason: 'reason', eventId: 'event', method: 'method', mediaType: 'media type' },
  ...{ contentEncoding: 'encoding', bytes: 'bytes' },
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
  const { history, fields, act } = delivery;
  const facts = (Object.keys(LABELS) as (keyof typeof LABELS)[])
    .filter((name) => delivery[name] !== null)
    .map((name) => [
      name === 'endedAt' && delivery.state === 'discarded' ? 'discarded' : LABELS[name],
      name === 'dueAt' && due !== undefined
        ? dueText({ dueAt: delivery.dueAt!, ...due }, shortTime)
        : String(timeText(name, delivery[name])),
    ]);
  const failed = runsOf(history).flatMap((run, index, runs) => {
    const [first, last] = [run[0]!, run.at(-1)!];
    const took = last.duration === null ? 'cut off' : `${last.duration} ms`;
    const numbers = run.length === 1 ? String(first.number) : `${first.number} to ${last.number}`;
    const [began, lastBegan] = [first, last].map(({ startedAt }) => shortTime(startedAt));
    const gap = gapText(runs[index - 1]?.at(-1), first);
    const row = [numbers, began!, run.length === 1 ? '' : lastBegan!, took, last.receiver, last.error];
    return gap === '' ? [row] : [['', '', '', '', '', gap], row];
  });
  const stack = history.at(-1)?.stack;
  return [
    terminal.table(facts, undefined, false),
    terminal.table(failed, ['FAILED', 'BEGAN', 'LAST BEGAN', 'TOOK', 'RECEIVER', 'ERROR'], false),
    stack ? `${printable(stack)}\n` : '',
    actsTable(terminal, act === null ? [] : [act]),
    terminal.table(
      fields.map(([name, value]) => [`${name}:`, value]),
      undefined,
      false,
    ),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** `plant-inbox stats` */
export async function stats(
  terminal: Terminal,
  { get, isRunning }: Connection,
  { output }: { output?: Output },
): Promise<void> {
  const found = await get<InboxStats>('/stats');
  const { isPaused, oldestWaitingAt, nextRetryAt, bytes } = found;
  const rows = [
    ['receiver', isRunning === undefined ? '' : isRunning ? 'running' : 'stopped'],
    ['handler', isPaused ? 'paused' : 'not paused'],
    ...DELIVERY_STATES.map((state) => [state, found[state].toLocaleString('en-US')]),
    ['oldest', oldestWaitingAt === null ? '' : `waits, received ${shortTime(oldestWaitingAt)}`],
    ['next retry', nextRetryAt === null ? '' : dueText({ ...found, dueAt: nextRetryAt }, shortTime)],
    ['on disk', `${bytes.toLocaleString('en-US')} bytes`],
  ];
  await terminal.print(output, found, () => terminal.table(rows.filter(([, value]) => value !== '')));
}
