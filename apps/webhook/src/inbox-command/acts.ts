import { hostname, userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import type { Act, DeliveryFilter, FollowedAct, InboxStats } from '../inbox/inbox-operations.js';
import { outcomeOf, outcomeText } from '../inbox/in-words.js';
import { type Connection, withConnection } from './connection.js';
import { jsonLines, type Output, shortTime } from './printable.js';
import { CommandError, type Row, type Terminal } from './terminal.js';

/** How often `--wait` looks, in milliseconds. */
const LOOK_INTERVAL = 500;

/** Why somebody acts. */
export interface OriginOptions {
  readonly reason?: string;
}

const count = (of: number): string => of.toLocaleString('en-US');

/** Who acts: the user and the host. */
export function operatorName(): string {
  const user = (): string => {
    try {
      return userInfo().username;
    } catch {
      // A container may have users without a name.
      return String(process.getuid?.());
    }
  };
  return `${user()}@${hostname()}`;
}

/** `plant-inbox acts` */
export async function acts(
  terminal: Terminal,
  inbox: string,
  { output, ...page }: { limit: number; after?: number; output?: Output },
): Promise<void> {
  const { acts: found } = await withConnection(inbox, ({ get }) =>
    get<{ acts: FollowedAct[] }>('/acts', page),
  );
  const became = (act: FollowedAct): string => (act.kind === 'replay' ? outcomeText(act) : '');
  await terminal.write(output === 'json' ? jsonLines(found) : actsTable(terminal, found, became));
  if (found.length === 0) terminal.report('No acts.');
  if (found.length === page.limit && found.at(-1)!.id > 1)
    terminal.report(`For older ones: --after ${found.at(-1)!.id}`);
}

/** A line for each act: when it was done, by whom, to how many of which deliveries, what became of it, and why. */
export function actsTable<Shown extends Act>(
  terminal: Terminal,
  shown: readonly Shown[],
  became: (act: Shown) => string = () => '',
): string {
  const rows = shown.map((act): Row => {
    const of = act.filters.length === 0 ? [] : [count(act.changed), filtersText(act.filters)];
    return [
      ...[act.id, shortTime(act.at), act.operator ?? '', act.kind, of.join(' ').trimEnd(), became(act)],
      ...[act.source ?? '', act.reason ?? ''],
    ];
  });
  const headings = ['ACT', 'AT', 'OPERATOR', 'WHAT', 'DELIVERIES', 'BECAME', 'FROM', 'REASON'];
  return terminal.table(rows, headings, false);
}

/** The filters of the parts of an act, as the options that choose deliveries. Those that differ in one id are one. */
function filtersText(filters: readonly DeliveryFilter[]): string {
  const ids = filters.filter(isOneId).map(({ firstId }) => firstId);
  const parts = filters.filter((filter) => !isOneId(filter)).map(filterText);
  return [...(ids.length === 0 ? [] : [`--id ${ids.join(', ')}`]), ...new Set(parts)].join('; ');
}

const isOneId = ({ firstId, lastId, ...more }: DeliveryFilter): boolean =>
  firstId !== undefined && firstId === lastId && Object.keys(more).length === 0;

function filterText({ state, errorGroup, ids, firstId, lastId, ...received }: DeliveryFilter): string {
  const { receivedFrom, receivedBefore } = received;
  const isRange = (firstId ?? lastId) !== undefined;
  return [
    state,
    errorGroup !== undefined && `--error '${errorGroup}'`,
    receivedFrom !== undefined && `--since ${shortTime(receivedFrom)}`,
    receivedBefore !== undefined && `--before ${shortTime(receivedBefore)}`,
    isRange && `--id ${firstId ?? 1}..${lastId ?? ''}`,
    ids !== undefined && `--id ${ids.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * Waits until each delivery of a replay has ended an attempt, and shows how far it has come.
 *
 * @throws CommandError if it is interrupted, or the handler is paused
 */
export async function followReplay(
  terminal: Terminal,
  { get }: Connection,
  act: number,
): Promise<FollowedAct> {
  const interrupted = terminal.interruption();
  try {
    for (;;) {
      const followed = await get<FollowedAct>(`/acts/${act}`);
      if (outcomeOf(followed).waiting === 0) return followed;
      const text = outcomeText(followed);
      terminal.showProgress(text);
      if (interrupted.aborted) throw new CommandError(`Interrupted: ${text}.`);
      if ((await get<InboxStats>('/stats')).isPaused)
        throw new CommandError(`The handler is paused: ${text}. To go on: plant-inbox resume`);
      await delay(LOOK_INTERVAL);
    }
  } finally {
    terminal.showProgress('');
  }
}
