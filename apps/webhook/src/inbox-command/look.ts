import {
  DELIVERY_STATES,
  type DeliverySummary,
  type ErrorGroup,
  type InboxStats,
  type StoredDelivery,
} from '../inbox/inbox-operations.js';
import { type Due, dueText, gapText, runsOf } from '../inbox/in-words.js';
import { actsTable } from './acts.js';
import { withConnection } from './connection.js';
import { jsonLines, jsonText, type Output, printable, shortTime, textOf, timeText } from './printable.js';
import { filterOf, type Selection } from './selection.js';
import { CommandError, type Terminal } from './terminal.js';

/** A list as the routes have it. */
export interface Listed {
  readonly deliveries: readonly DeliverySummary[];
}

interface ListOptions extends Selection {
  readonly limit: number;
  readonly after?: number;
  readonly output?: Output;
}

/** `plant-inbox list` */
export async function list(terminal: Terminal, inbox: string, options: ListOptions): Promise<void> {
  const { limit, after, output, ...selection } = options;
  const query = { ...filterOf(selection), ...(after && { after }), limit };
  const { deliveries } = await withConnection(inbox, ({ get }) => get<Listed>('/deliveries', query));
  await writeList(terminal, deliveries, output);
  const last = deliveries.at(-1);
  if (last === undefined) terminal.report('No deliveries.');
  else if (deliveries.length === limit && last.id > 1) terminal.report(`For older ones: --after ${last.id}`);
}

/** `plant-inbox search TEXT` */
export async function search(
  terminal: Terminal,
  inbox: string,
  text: string,
  { limit, after, output, ...selection }: ListOptions,
): Promise<void> {
  const interrupted = terminal.interruption();
  const found: DeliverySummary[] = [];
  const next = await withConnection(inbox, async ({ get }) => {
    let below: number | null = after ?? Number.MAX_SAFE_INTEGER;
    while (below !== null && found.length < limit && !interrupted.aborted) {
      const query = { text, ...filterOf(selection), after: below, limit: limit - found.length };
      const part: Listed & { next: number | null } = await get('/deliveries/search', query);
      found.push(...part.deliveries);
      below = part.next;
      terminal.showProgress(below === null ? '' : `Searching: down to delivery ${below}`);
    }
    return below;
  });
  terminal.showProgress('');
  await writeList(terminal, found, output);
  if (found.length === 0 && next === null) terminal.report('No deliveries.');
  if (next !== null) terminal.report(`For older ones: --after ${next}`);
  if (interrupted.aborted) throw new CommandError('Interrupted.');
}

async function writeList(
  terminal: Terminal,
  deliveries: Listed['deliveries'],
  output?: Output,
): Promise<void> {
  if (output === 'json') await terminal.write(jsonLines(deliveries));
  else if (deliveries.length > 0) await terminal.write(listText(terminal, deliveries));
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
  inbox: string,
  { output }: { output?: Output },
): Promise<void> {
  const { groups, complete } = await withConnection(inbox, ({ get }) =>
    get<{ groups: readonly ErrorGroup[]; complete: boolean }>('/errors'),
  );
  const rows = groups.map(({ parked, retrying, firstAt, lastAt, message }) => [
    ...[parked, retrying, shortTime(firstAt), shortTime(lastAt), message],
  ]);
  if (output === 'json') await terminal.write(jsonLines(groups));
  // Whole errors: their causes are at the end, and --error takes them.
  else if (rows.length > 0)
    await terminal.write(terminal.table(rows, ['PARKED', 'RETRYING', 'FIRST', 'LAST', 'ERROR'], false));
  if (groups.length === 0) terminal.report('No delivery is parked or retrying.');
  if (!complete)
    terminal.report('There are more: these are the most frequent errors of the newest deliveries.');
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
  ...{ id: 'id', state: 'state', receivedAt: 'received', attempts: 'attempts', startedAt: 'last began' },
  ...{ endedAt: 'last ended', replayedAt: 'replayed', error: 'error', dueAt: 'due', reason: 'reason' },
  ...{
    eventId: 'event',
    method: 'method',
    mediaType: 'media type',
    contentEncoding: 'encoding',
    bytes: 'bytes',
  },
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
    actsTable(terminal, acts),
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
  inbox: string,
  { output }: { output?: Output },
): Promise<void> {
  await withConnection(inbox, async ({ get, isRunning }) => {
    const found = await get<InboxStats>('/stats');
    if (output === 'json') return terminal.write(jsonText(found, 2));
    const { isPaused, now, oldestWaitingAt, nextRetryAt, bytes } = found;
    const rows = [
      ...(isRunning === undefined ? [] : [['receiver', isRunning ? 'running' : 'stopped']]),
      ['handler', isPaused ? 'paused' : 'not paused'],
      ...DELIVERY_STATES.map((state) => [state, found[state].toLocaleString('en-US')]),
      ...(oldestWaitingAt === null ? [] : [['oldest', `waits, received ${shortTime(oldestWaitingAt)}`]]),
      ...(nextRetryAt === null
        ? []
        : [['next retry', dueText({ dueAt: nextRetryAt, now, isPaused }, shortTime)]]),
      ['on disk', `${bytes.toLocaleString('en-US')} bytes`],
    ];
    return terminal.write(terminal.table(rows));
  });
}
