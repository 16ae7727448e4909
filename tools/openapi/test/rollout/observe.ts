import { isDeepStrictEqual } from 'node:util';
import { type ExecutableId, plainAnswers, plantFieldOf } from '@plant-store/contract';
import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';
import { type AnySender, loadBuilt, type Receiver, startReceiver } from '../built.js';
import { openLine, openStandIn } from './line.js';
import { type Answer, answersIn, executable, type State, statesOf } from './states.js';
import { callerOf, keyFor, TOKENS, TOKENS_OF_A_FORMAT, type Way, waysOf } from './ways.js';

/** What happened when a caller delivered in one way. */
export interface Run {
  readonly id: ExecutableId;
  /** The answers that the caller's code is written for. */
  readonly caller: Answer;
  /** The answers that the SDK is built with. */
  readonly sdk: Answer;
  /** The answers that the receiver is built with. */
  readonly receiver: Answer;
  readonly way: string;
  /** Who is free to choose this way: how long a response takes is up to the receiver. */
  readonly chosenBy: 'sender' | 'receiver' | 'other receiver';
  /** `works`: acknowledged as the sender sees it, and kept as the receiver reads it. Otherwise what went wrong. */
  readonly result: string;
}

/** A caller's code, the SDK and the receiver that it meets. */
interface Meeting {
  readonly caller: State;
  readonly sdk: State;
  readonly receiver: State;
}

/** By answers. */
const receivers = new Map<string, Receiver>();
const nameOf = (state: State): string => JSON.stringify(plainAnswers(answersIn(state)));
let marks = 100_000;

/** Starts the built receiver in each state of each question, and lets the built sender of each state deliver to it. */
export async function observeRollout(): Promise<Run[]> {
  try {
    for (const state of executable.flatMap(statesOf)) await start(state);
    // Some senders wait for the rate limit meanwhile.
    const waiting = observe('rate-limits');
    const runs: Run[][] = [];
    for (const id of executable) if (id !== 'rate-limits') runs.push(await observe(id));
    return [...runs, await waiting].flat();
  } finally {
    for (const receiver of receivers.values()) await receiver.stop();
  }
}

/** Starts the receiver of a state, unless there is one with the same answers. */
async function start(state: State): Promise<void> {
  const name = nameOf(state);
  if (receivers.has(name)) return;
  const { 'token-format': format, signing } = answersIn(state);
  const tokens = TOKENS.filter((token) => format === undefined || new RegExp(format.pattern).test(token));
  const settings = {
    ACCESS_TOKENS: tokens.join(','),
    ...(signing && { SIGNING_KEYS: keyFor(signing) }),
  };
  receivers.set(name, await startReceiver(answersIn(state), makeFolder(afterThisFile), settings));
}

/** Every state of a question meets every other one. */
async function observe(id: ExecutableId): Promise<Run[]> {
  const states = statesOf(id);
  const meetings = states.flatMap((one) =>
    states.flatMap((other): Meeting[] => [
      { caller: one, sdk: one, receiver: other },
      ...(one === other ? [] : [{ caller: one, sdk: other, receiver: one }]),
    ]),
  );
  const runs = await Promise.all(meetings.map((meeting, index) => meet(meeting, index)));
  return runs.flat();
}

async function meet(meeting: Meeting, index: number): Promise<Run[]> {
  const { caller, sdk, receiver } = meeting;
  const own = waysOf(caller.id, answersIn(caller));
  // How long a response takes is up to the receiver.
  const theirs = waysOf(receiver.id, answersIn(receiver)).filter((way) => way.slow?.response !== undefined);
  const ways = [...own.filter((way) => way.slow?.response === undefined), ...theirs];
  return Promise.all(
    ways.map(async (way): Promise<Run> => {
      const chosenBy =
        way.standIn !== undefined ? 'other receiver' : way.slow?.response ? 'receiver' : 'sender';
      return {
        id: caller.id,
        caller: caller.answer,
        sdk: sdk.answer,
        receiver: receiver.answer,
        way: way.name,
        chosenBy,
        result: await deliver(meeting, way, `${way.token ?? 'example'}-${index % TOKENS_OF_A_FORMAT}`),
      };
    }),
  );
}

async function deliver({ caller, sdk, receiver }: Meeting, way: Way, accessToken: string): Promise<string> {
  const { createSenderUnder } = await loadBuilt('libs/sdk/dist/internal.js');
  const mark = `${(marks += 1)}.5`;
  const to = receivers.get(nameOf(receiver))!;
  const line = way.standIn
    ? await openStandIn(way.standIn)
    : way.slow && (await openLine(to.origin, way.slow));
  const code = callerOf(answersIn(caller), mark);
  const plant = way.plant?.(mark) ?? { name: mark };
  let sender: AnySender | undefined;
  try {
    const own = { baseUrl: line?.origin ?? to.origin, accessToken, ...code.options, ...way.options };
    sender = createSenderUnder(own, { answers: answersIn(sdk) });
    const { atOnce = 1, times = 1 } = way;
    for (let time = 0; time < times; time += 1) {
      const sent = Array.from({ length: atOnce }, () => sender!.send(plant, { ...code.send, ...way.send }));
      await Promise.all(sent);
    }
    return way.standIn ? 'works' : kept(to, receiver, mark, plant, atOnce * times);
  } catch (error) {
    return describe(error);
  } finally {
    line?.close();
    await sender?.close();
  }
}

/** Whether the receiver kept what was sent, as its answers say. */
function kept({ inbox }: Receiver, state: State, mark: string, plant: unknown, sent: number): string {
  const answers = answersIn(state);
  const database = new DatabaseSync(inbox, { readOnly: true });
  try {
    const contents = database
      .prepare('SELECT CAST(content AS TEXT) AS text FROM delivery WHERE instr(CAST(content AS TEXT), ?)')
      .all(mark) as { text: string }[];
    const expected = answers['event-identity'] === undefined ? sent : 1;
    if (contents.length !== expected) return `${contents.length} of ${expected} kept`;
    const { payload } = answers;
    if (payload === undefined) return 'works';
    const isRead = contents.every(({ text }) => {
      const json = JSON.parse(text) as Record<string, unknown>;
      const field = plantFieldOf(payload);
      return isDeepStrictEqual(field === undefined ? json : json[field], plant);
    });
    return isRead ? 'works' : 'read as another plant';
  } finally {
    database.close();
  }
}

function describe(error: unknown): string {
  const { code, response, failure, payload } = error as {
    code?: string;
    response?: { status: number };
    failure?: string;
    payload?: unknown;
  };
  if (code === undefined) throw error;
  return [code, response?.status, failure, payload && JSON.stringify(payload)].filter(Boolean).join(' ');
}
