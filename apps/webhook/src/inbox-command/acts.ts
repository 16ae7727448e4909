import { hostname, userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import type { Act, DeliveryFilter, FollowedAct, InboxStats } from '../inbox/inbox-operations.js';
import { type Connection, withConnection } from './connection.js';
import { jsonText, type Output, shortTime } from './printable.js';
import { CommandError, type Row, type Terminal } from './terminal.js';

/** How often `--wait` looks, in milliseconds. */
const LOOK_INTERVAL = 500;

/** Why somebody acts. */
export interface OriginOptions {
  readonly reason?: string;
}

/** What became of the deliveries of a replay. */
export interface Outcome {
  readonly handled: number;
  /** Parked, or retrying: an attempt has failed since. */
  readonly failed: number;
  /** None has ended since. */
  readonly waiting: number;
}

const outcomeOf = ({ states }: FollowedAct): Outcome => ({
  handled: states.handled,
  failed: states.retrying + states.parked,
  waiting: states.waiting + states.running,
});

export const outcomeText = (outcome: Outcome): string =>
  Object.entries(outcome)
    .map(([name, count]: [string, number]) => `${name} ${count.toLocaleString('en-US')}`)
    .join(', ');

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
  const found = await withConnection(inbox, ({ get }) => get<{ acts: FollowedAct[] }>('/acts', page));
  if (output === 'json') return terminal.write(jsonText(found.acts, 2));
  if (found.acts.length === 0) return terminal.report('No acts.');
  const became = (act: FollowedAct): string => (act.kind === 'replay' ? outcomeText(outcomeOf(act)) : '');
  await terminal.write(`${actsTable(terminal, found.acts, became).join('\n')}\n`);
}

/** A line for each act: what was done, to how many of which deliveries, by whom, from where and why. */
export function actsTable<Shown extends Act>(
  terminal: Terminal,
  shown: readonly Shown[],
  became: (act: Shown) => string = () => '',
): string[] {
  const rows = shown.map((act): Row => [
    act.id,
    shortTime(act.at),
    act.kind,
    act.filters.length === 0
      ? ''
      : `${act.changed.toLocaleString('en-US')} ${filterText(act.filters)}`.trimEnd(),
    became(act),
    act.operator ?? '',
    act.source ?? '',
    act.reason ?? '',
  ]);
  return terminal.table(rows, ['ACT', 'AT', 'WHAT', 'DELIVERIES', 'BECAME', 'OPERATOR', 'FROM', 'REASON']);
}

/** The filters in words: their states and errors, or their ids. */
function filterText(filters: readonly DeliveryFilter[]): string {
  const of = ({ state, errorGroup, firstId, lastId }: DeliveryFilter): string =>
    [state, errorGroup, firstId !== undefined && firstId === lastId && `(id ${firstId})`]
      .filter(Boolean)
      .join(' ');
  return [...new Set(filters.map(of))].filter(Boolean).join(', ');
}

/**
 * Waits until each delivery of a replay has ended an attempt, and shows how far it has come.
 *
 * @throws CommandError if it is interrupted, or the handler is paused
 */
export async function followReplay(terminal: Terminal, { get }: Connection, act: number): Promise<Outcome> {
  const interrupted = terminal.interruption();
  try {
    for (;;) {
      const outcome = outcomeOf(await get<FollowedAct>(`/acts/${act}`));
      if (outcome.waiting === 0) return outcome;
      const text = outcomeText(outcome);
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
