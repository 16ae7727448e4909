import { hostname, userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import {
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryState,
  type FollowedAct,
  type InboxStats,
  type StateCounts,
} from '../inbox/inbox-operations.js';
import { outcomeOf, outcomeText } from '../inbox/in-words.js';
import { type BatchResult, deliveries, type FixedFilter, inBatches, sumOf, upToNow } from './batches.js';
import { type Connection, withConnection } from './connection.js';
import { jsonText, type Output } from './printable.js';
import { filterOf, type Selection } from './options.js';
import { CommandError, type Terminal } from './terminal.js';

/** How often `--wait` looks, in milliseconds. */
const LOOK_INTERVAL = 500;

/**
 * For how long nothing may become of any delivery until `--wait` ends, in milliseconds: while no attempt runs, and while one
 * does. What is due begins within a second where somebody handles; an attempt may take long, or its receiver has ended.
 */
const PATIENCE = { idle: 30_000, running: 600_000 };

/** The changes by their routes: what each is called, the deliveries to which it applies, and those it takes unasked. */
const CHANGES = {
  replay: {
    verb: 'Replay',
    doing: 'Replaying',
    done: 'replayed',
    states: ['parked', 'retrying', 'handled'],
    // Handled deliveries have had their effect. Whoever wants it again says so.
    unlessChosen: ['retrying', 'parked'],
  },
  discard: {
    verb: 'Delete for good the content of',
    doing: 'Discarding',
    done: 'discarded',
    states: ['parked'],
    unlessChosen: ['parked'],
  },
} as const;

/** Who acts, if it isn't the user, and why. */
export interface OriginOptions {
  readonly by?: string;
  readonly reason?: string;
}

/** The options of `replay` and `discard`. */
export interface ChangeOptions extends Selection, OriginOptions {
  readonly yes?: true;
  readonly output?: Output;
  /** With `replay`: waits for what becomes of it. */
  readonly wait?: true;
}

/**
 * `plant-inbox replay` and `discard`: says how many deliveries in which states it is about, asks, changes them, and says
 * how many it has changed. The exit code is 1 if one that was named was not changed, if somebody said no, or if it waited
 * and not all were handled.
 *
 * @param ids of deliveries; if there are none, the options choose
 */
export async function changeDeliveries(
  kind: keyof typeof CHANGES,
  terminal: Terminal,
  inbox: string,
  ids: readonly number[],
  { yes, output, by, reason, wait, ...selection }: ChangeOptions,
): Promise<void> {
  const { doing, done, states, unlessChosen } = CHANGES[kind];
  const chosen = filterOf(selection);
  const isChosen = Object.keys(chosen).length > 0;
  if (ids.length > 0 && isChosen)
    throw new CommandError('Name deliveries by id or choose them with options, not both.', 2);
  if (kind === 'discard' && ids.length === 0 && !isChosen)
    throw new CommandError('Name deliveries by id, or choose them: --state parked means all of them.', 2);
  await withConnection(inbox, async (connection) => {
    if (wait && connection.isRunning === false)
      throw new CommandError('--wait needs a receiver that runs. Start it, or leave --wait out.', 2);
    const countOf = (filter: DeliveryFilter): Promise<StateCounts> =>
      connection.get('/deliveries/count', filter);
    const chosenStates = chosen.state === undefined ? unlessChosen : [chosen.state];
    const filters: FixedFilter[] = ids.map((id) => ({ firstId: id, lastId: id }));
    if (ids.length === 0)
      for (const state of chosenStates) filters.push(...(await upToNow(connection, { ...chosen, state })));
    const counts: StateCounts[] = [];
    for (const filter of filters) counts.push(await countOf(filter));
    // Only what can be changed is asked about, changed and reported, so that all of it says the same.
    const works = filters.filter((_, index) => states.some((state) => counts[index]![state] > 0));
    const what = new Intl.ListFormat('en').format(
      states
        .map((state) => ({ state, count: sumOf(counts.map((each) => each[state])) }))
        .filter(({ count }) => count > 0)
        .map(({ state, count }) => deliveries(count, state)),
    );
    if (works.length > 0 && !(await isWanted(terminal, CHANGES[kind], what, yes))) {
      terminal.exitCode = 1;
      return terminal.report(`Nothing was ${done}.`);
    }
    const operator = operatorName(by);
    let act: number | undefined;
    const changed = await inBatches(terminal, works, { doing, done }, async (filter, part) => {
      const content = { filter, ...part, reason, act, operator };
      const result = await connection.post<BatchResult>(`/deliveries/${kind}`, content);
      act = result.act;
      return result;
    });
    const left: { id: number; state: DeliveryState | null }[] = [];
    for (const id of ids)
      if (!changed[works.findIndex(({ lastId }) => lastId === id)])
        left.push({ id, state: stateOf(await countOf({ firstId: id, lastId: id })) });
    for (const { id, state } of left)
      terminal.report(
        `Delivery ${id} was not ${done}: ${state === null ? 'there is none' : `it is ${state}`}.`,
      );
    if (left.length > 0) terminal.exitCode = 1;
    const count = sumOf(changed);
    if (output !== 'json')
      await terminal.write(
        works.length === 0 && ids.length === 0
          ? `No such delivery is ${OR.format(chosenStates)}. Nothing was ${done}.\n`
          : `${deliveries(count)} ${done}.\n`,
      );
    const followed = wait && act !== undefined ? await followReplay(terminal, connection, act) : undefined;
    const outcome = followed && outcomeOf(followed);
    if (outcome !== undefined && outcome.handled < count) terminal.exitCode = 1;
    if (output === 'json') await terminal.write(jsonText({ [done]: count, left, act, outcome }, 2));
    else if (followed !== undefined) await terminal.write(`${outcomeText(followed)}\n`);
  });
}

const OR = new Intl.ListFormat('en', { type: 'disjunction' });

/** The state of the only delivery that was counted; null if there is none. */
const stateOf = (counts: StateCounts): DeliveryState | null =>
  DELIVERY_STATES.find((state) => counts[state] > 0) ?? null;

/**
 * Says what will be changed, and asks.
 *
 * @param what such as `2 parked deliveries`
 * @throws CommandError if nobody is there to be asked
 */
async function isWanted(
  terminal: Terminal,
  { verb, doing }: (typeof CHANGES)[keyof typeof CHANGES],
  what: string,
  yes: boolean | undefined,
): Promise<boolean> {
  if (!yes && terminal.canAsk) return terminal.confirm(`${verb} ${what}?`);
  if (!yes) throw new CommandError(`This is about ${what}. Add --yes: there is no terminal to ask on.`, 2);
  terminal.report(`${doing} ${what}.`);
  return true;
}

/**
 * Waits until each delivery of a replay has ended an attempt, and shows how far it has come.
 *
 * @throws CommandError if it is interrupted, the handler is paused, or nobody seems to handle deliveries
 */
export async function followReplay(
  terminal: Terminal,
  { get }: Pick<Connection, 'get'>,
  act: number,
  patience = PATIENCE,
): Promise<FollowedAct> {
  const interrupted = terminal.interruption();
  let [last, changedAt, handled] = ['', performance.now(), 0];
  try {
    for (;;) {
      const followed = await get<FollowedAct>(`/acts/${act}`);
      if (outcomeOf(followed).waiting === 0) return followed;
      const text = outcomeText(followed);
      terminal.showProgress(text);
      if (interrupted.aborted) throw new CommandError(`Interrupted: ${text}.`);
      const stats = await get<InboxStats>('/stats');
      if (stats.isPaused)
        throw new CommandError(`The handler is paused: ${text}. To go on: plant-inbox resume`);
      // Arrivals and the retention are no progress.
      handled = Math.max(handled, stats.handled);
      const { running, retrying, parked, oldestWaitingAt } = stats;
      const progress = [text, handled, running, retrying, parked, oldestWaitingAt].join();
      if (progress !== last) [last, changedAt] = [progress, performance.now()];
      else if (performance.now() - changedAt >= patience[running === 0 ? 'idle' : 'running'])
        throw new CommandError(
          `No receiver handles deliveries, or an attempt has not ended for long: ${text}. Start a receiver whose HANDLER_CONCURRENCY is not 0, or look at its log.`,
        );
      await delay(LOOK_INTERVAL);
    }
  } catch (error) {
    terminal.report(`This is act ${act}. To see what becomes of it: plant-inbox acts`);
    throw error;
  } finally {
    terminal.showProgress('');
  }
}

/** Who acts: the user and the host. */
const operatorName = (by = userName()): string => `${by}@${hostname()}`;

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may have users without a name.
    return String(process.getuid?.());
  }
}

/** `plant-inbox pause` and `resume` */
export async function setPaused(
  path: 'pause' | 'resume',
  terminal: Terminal,
  { post }: Connection,
  { by, reason }: OriginOptions,
): Promise<void> {
  await post(`/handler/${path}`, { operator: operatorName(by), reason });
  const isPaused = path === 'pause';
  await terminal.write(
    isPaused ? 'The handler is paused. Deliveries are still accepted.\n' : 'The handler gets deliveries.\n',
  );
}
