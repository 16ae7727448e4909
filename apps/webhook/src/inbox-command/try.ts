import type { AnswerValues, Failure } from '@plant-store/contract';
import { valueFaults } from '@plant-store/contract/check';
import { z } from 'zod';

import { type KeptDelivery, prepareTrial, type Trial } from '../answers/try-answers.js';
import type { DeliveryState } from '../inbox/inbox-operations.js';
import { deliveries, inBatches, upToNow } from './batches.js';
import { withConnection } from './connection.js';
import type { Output } from './printable.js';
import { filterOf, type Selection } from './options.js';
import { CommandError, type Terminal } from './terminal.js';

/** Questions that are answered with a schema. */
const SCHEMA_QUESTIONS = ['plant-fields', 'event-payload-fields'];

/** How many deliveries are named for each failure. */
const MAX_EXAMPLES = 5;

interface TryOptions extends Selection {
  readonly question: readonly string[];
  readonly answer: readonly string[];
  readonly output?: Output;
}

/** Deliveries that would be refused for the same reason. */
interface RefusedDeliveries {
  readonly status: number;
  readonly failure: Failure;
  deliveries: number;
  /** The first ones. */
  readonly ids: number[];
}

/** What was tried. */
interface Tried {
  /** How many deliveries. */
  deliveries: number;
  /** How many were left out, because their content is deleted. */
  discarded: number;
  refused: readonly RefusedDeliveries[];
  readonly untried: Trial['untried'];
}

/** A delivery as the routes have it, with its content in base64. */
type ReadDelivery = Omit<KeptDelivery, 'content'> & {
  readonly id: number;
  readonly state: DeliveryState;
  readonly content: string;
};

/** `plant-inbox try` */
export async function tryAnswers(
  given: AnswerValues,
  terminal: Terminal,
  inbox: string,
  { question, answer, output, ...selection }: TryOptions,
): Promise<void> {
  const trial = proposeAnswers(question, answer, given);
  const isTried = trial.untried.length < new Set(question).size;
  const tried: Tried = { deliveries: 0, discarded: 0, refused: [], untried: trial.untried };
  const refused = new Map<Failure, RefusedDeliveries>();
  if (isTried)
    await withConnection(inbox, async (connection) => {
      const filter = await upToNow(connection, filterOf(selection));
      await inBatches(terminal, filter, { doing: 'Trying', done: 'tried' }, async (query) => {
        const read = await connection.get<{ deliveries: ReadDelivery[]; next: number | null }>(
          '/deliveries/batch',
          query,
        );
        for (const { id, state, content, ...delivery } of read.deliveries) {
          if (state === 'discarded') {
            tried.discarded += 1;
            continue;
          }
          tried.deliveries += 1;
          const failure = await trial.refusalOf({ ...delivery, content: Buffer.from(content, 'base64') });
          if (failure !== undefined) count(refused, trial, failure, id);
        }
        return { count: read.deliveries.length, next: read.next };
      });
    });
  tried.refused = [...refused.values()].sort((one, other) => other.deliveries - one.deliveries);
  await terminal.print(output, tried, () => triedText(terminal, tried, isTried));
}

/**
 * Prepares to try answers beside those that are given.
 *
 * @throws CommandError with every fault of the answers
 */
export function proposeAnswers(
  questions: readonly string[],
  texts: readonly string[],
  given: AnswerValues,
): Trial {
  if (questions.length !== texts.length) throw new CommandError('Each --question needs its --answer.', 2);
  const proposed = questions.map((question, index): [string, unknown] => [
    question,
    answerOf(question, texts[index]!),
  ]);
  const all = { ...given, ...Object.fromEntries(proposed) };
  const faults = valueFaults(all);
  if (faults.length > 0) throw new CommandError(faults.join('\n  '), 2);
  return prepareTrial(all, questions);
}

/** An answer as JSON, or as plain text. A JSON Schema becomes a schema of Zod. */
function answerOf(question: string, text: string): unknown {
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // It is plain text.
  }
  const isSchema = typeof value === 'object' && value !== null;
  if (!SCHEMA_QUESTIONS.includes(question) || !isSchema) return value;
  try {
    return z.fromJSONSchema(value as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw new CommandError(`${question}: this JSON Schema can't be tried: ${whyUnreadable(error)}.`, 2);
  }
}

/** What Zod says that it can't read. If a keyword has another form than it expects, its words are those of the language. */
function whyUnreadable(error: unknown): string {
  if (error instanceof SyntaxError) return 'a pattern in it is no regular expression';
  if (error instanceof TypeError) return 'a keyword in it has no valid value';
  const { message } = error as Error;
  return `${message[0]!.toLowerCase()}${message.slice(1).replace(/ in Zod \(.*/, '')}`;
}

function count(refused: Map<Failure, RefusedDeliveries>, trial: Trial, failure: Failure, id: number): void {
  const row = refused.get(failure) ?? { status: trial.statusOf(failure), failure, deliveries: 0, ids: [] };
  row.deliveries += 1;
  if (row.ids.length < MAX_EXAMPLES) row.ids.push(id);
  refused.set(failure, row);
}

function triedText(
  terminal: Terminal,
  { deliveries: all, discarded, refused, untried }: Tried,
  isTried: boolean,
): string {
  const sum = refused.reduce((total, each) => total + each.deliveries, 0);
  const rows = refused.map((each) => [each.deliveries, each.status, each.failure, each.ids.join(', ')]);
  return [
    isTried ? `${deliveries(all)} tried: ${sum.toLocaleString('en-US')} would be refused.\n` : '',
    discarded === 0 ? '' : `${discarded} discarded left out: the content is deleted.\n`,
    rows.length === 0 ? '' : terminal.table(rows, ['DELIVERIES', 'STATUS', 'WHY', 'SUCH AS']),
    ...untried.map(({ question, reason }) => `Can't be tried: ${question}: ${reason}.\n`),
  ].join('');
}
