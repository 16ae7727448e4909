import { hostname, userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import { CHANGEABLE, CHANGED_UNASKED } from '../inbox/acts.js';
import type { Act, ChangeKind, DeliveryState, InboxStats, StateCounts } from '../inbox/inbox-operations.js';
import { changedText, outcomeText } from '../inbox/in-words.js';
import { MAX_LIMIT } from '../operations/parameters.js';
import { deliveries, sumOf, upToNow } from './batches.js';
import { type Connection, withConnection } from './connection.js';
import type { Listed } from './look.js';
import { jsonText, type Output } from './printable.js';
import { filterOf, type Selection } from './options.js';
import { CommandError, type Terminal } from './terminal.js';

/** How often it looks, in milliseconds. */
const LOOK_INTERVAL = 500;

/**
 * For how long nothing may become of any delivery until `--wait` ends, in milliseconds: while no attempt runs, and while one
 * does. What is due begins within a second where somebody handles; an attempt may take long, or its receiver has ended.
 */
const PATIENCE = { idle: 30_000, running: 600_000 };

/** What each change is called. */
const WORDS = {
  replay: { verb: 'Replay', doing: 'Replaying', done: 'replayed' },
  discard: { verb: 'Delete for good the content of', doing: 'Discarding', done: 'discarded' },
} as const satisfies Record<ChangeKind, object>;

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
  kind: ChangeKind,
  terminal: Terminal,
  inbox: string,
  ids: readonly number[],
  { yes, output, by, reason, wait, ...selection }: ChangeOptions,
): Promise<void> {
  const { done } = WORDS[kind];
  const chosen = filterOf(selection);
  const isChosen = Object.keys(chosen).length > 0;
  if (ids.length > 0 && isChosen)
    throw new CommandError('Name deliveries by id or choose them with options, not both.', 2);
  if (kind === 'discard' && ids.length === 0 && !isChosen)
    throw new CommandError('Name deliveries by id, or choose them: --state parked means all of them.', 2);
  if (ids.length > MAX_LIMIT)
    throw new CommandError(`Name at most ${MAX_LIMIT} deliveries, or choose them with options.`, 2);
  await withConnection(inbox, async (connection) => {
    const { get, post, isRunning } = connection;
    if (wait && isRunning === false)
      throw new CommandError('--wait needs a receiver that runs. Start it, or leave --wait out.', 2);
    const states = [chosen.state ?? CHANGED_UNASKED[kind]].flat();
    const filter =
      ids.length > 0
        ? { ids, state: CHANGEABLE[kind] }
        : await upToNow(connection, { ...chosen, state: states });
    const left = await unchangeable(connection, kind, ids);
    const counts = filter && (await get<StateCounts>('/deliveries/count', filter));
    const about = CHANGEABLE[kind]
      .map((state) => ({ state, count: counts?.[state] ?? 0 }))
      .filter(({ count }) => count > 0);
    const what = new Intl.ListFormat('en').format(about.map(({ state, count }) => deliveries(count, state)));
    if (about.length > 0 && !(await isWanted(terminal, kind, what, yes))) {
      terminal.exitCode = 1;
      return terminal.report(`Nothing was ${done}.`);
    }
    for (const { id, state } of left)
      terminal.report(
        `Delivery ${id} was not ${done}: ${state === null ? 'there is none' : `it is ${state}`}.`,
      );
    const content = { kind, filter, operator: operatorName(by), reason };
    const act =
      about.length === 0
        ? undefined
        : await followAct(terminal, connection, await post<Act>('/acts', content), wait);
    const count = act?.changed ?? 0;
    const isWhole = ids.length === 0 || count >= sumOf(about.map(({ count: one }) => one));
    if (!isWhole) terminal.report('Some deliveries had changed meanwhile.');
    if (left.length > 0 || !isWhole || (wait && act !== undefined && act.handled < count))
      terminal.exitCode = 1;
    const outcome =
      wait && act !== undefined
        ? { handled: act.handled, failed: act.failed, waiting: act.waiting }
        : undefined;
    if (output === 'json') return terminal.write(jsonText({ [done]: count, left, act: act?.id, outcome }, 2));
    await terminal.write(
      act === undefined && ids.length === 0
        ? `No such delivery is ${OR.format(states)}. Nothing was ${done}.\n`
        : `${deliveries(count)} ${done}.\n`,
    );
    if (wait && act !== undefined) await terminal.write(`${outcomeText(act)}\n`);
  });
}

const OR = new Intl.ListFormat('en', { type: 'disjunction' });

/** Those of some deliveries to which a change doesn't apply, with their states; null if there is none. */
async function unchangeable(
  { get }: Connection,
  kind: ChangeKind,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly state: DeliveryState | null }[]> {
  if (ids.length === 0) return [];
  const { deliveries: found } = await get<Listed>('/deliveries', { ids, limit: ids.length });
  const states = new Map(found.map(({ id, state }) => [id, state]));
  const able: readonly (DeliveryState | undefined)[] = CHANGEABLE[kind];
  return ids
    .filter((id) => !able.includes(states.get(id)))
    .map((id) => ({ id, state: states.get(id) ?? null }));
}

/**
 * Says what will be changed, and asks.
 *
 * @param what such as `2 parked deliveries`
 * @throws CommandError if nobody is there to be asked
 */
async function isWanted(
  terminal: Terminal,
  kind: ChangeKind,
  what: string,
  yes: boolean | undefined,
): Promise<boolean> {
  const { verb, doing } = WORDS[kind];
  if (!yes && terminal.canAsk) return terminal.confirm(`${verb} ${what}?`);
  if (!yes) throw new CommandError(`This is about ${what}. Add --yes: there is no terminal to ask on.`, 2);
  terminal.report(`${doing} ${what}.`);
  return true;
}

/**
 * Waits until an act is over, and shows how far it has come.
 *
 * @param wait whether each delivery must have ended an attempt, too
 * @throws CommandError if it is interrupted, or while it waits, the handler is paused, or nobody seems to handle deliveries
 */
export async function followAct(
  terminal: Terminal,
  { get, isRunning }: Pick<Connection, 'get' | 'isRunning'>,
  begun: Act,
  wait: true | undefined,
  patience = PATIENCE,
): Promise<Act> {
  const interrupted = terminal.interruption();
  let [act, last, changedAt, handled] = [begun, '', performance.now(), 0];
  try {
    for (; ; act = await get<Act>(`/acts/${act.id}`)) {
      if (act.endedAt !== null && (!wait || act.waiting === 0)) return act;
      const text = wait ? outcomeText(act) : `${changedText(act)} ${WORDS[act.kind as ChangeKind].done}`;
      terminal.showProgress(text);
      if (interrupted.aborted) throw new CommandError(`Interrupted: ${text}.`);
      const stats = await get<InboxStats>('/stats');
      if (wait && stats.isPaused)
        throw new CommandError(`The handler is paused: ${text}. To go on: plant-inbox resume`);
      // Arrivals and the retention are no progress.
      handled = Math.max(handled, stats.handled);
      const { running, retrying, parked, oldestWaitingAt } = stats;
      const progress = [text, act.changed, handled, running, retrying, parked, oldestWaitingAt].join();
      if (progress !== last) [last, changedAt] = [progress, performance.now()];
      else if (wait && performance.now() - changedAt >= patience[running === 0 ? 'idle' : 'running'])
        throw new CommandError(
          `No receiver handles deliveries, or an attempt has not ended for long: ${text}. Start a receiver whose HANDLER_CONCURRENCY is not 0, or look at its log.`,
        );
      await delay(LOOK_INTERVAL);
    }
  } catch (error) {
    const goesOn =
      isRunning === false ? ' The next receiver goes on with it.' : ' It goes on without this command.';
    terminal.report(
      `This is act ${act.id}.${act.endedAt === null ? goesOn : ''} To see what becomes of it: plant-inbox acts`,
    );
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
