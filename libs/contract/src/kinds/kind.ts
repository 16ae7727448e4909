/** What a kind of answer is. Each file of this folder that is named after a question has all of one kind. */
import type { AnswerSchema } from '../answer-schema.js';
import { type Failure, statusOf } from '../failures.js';
import type { JsonSchema } from '../references.js';
import type { openQuestions, QuestionId } from '../register/register.js';
import { isJsonMediaType } from '../standards.js';

/** A schema of Valibot, as far as the types of the package know it. So whoever uses them need not read Valibot's. */
export interface Schema<Answer> {
  /** Never set. */
  readonly '~types'?: { readonly output: Answer } | undefined;
}

/** The type of what a schema accepts, of which nothing can be changed, and no member is `undefined`. */
export type AnswerOf<One extends Schema<unknown>> = Exact<NonNullable<One['~types']>['output']>;

type Exact<Value> = Value extends string | number | boolean | AnswerSchema
  ? Value
  : { readonly [Key in keyof Value]: Exact<Exclude<Value[Key], undefined>> };

/** An answer as JSON: a schema is its JSON Schema. */
type Plain<Answer> = Answer extends AnswerSchema ? JsonSchema : Answer;

/** A step of a semantic version. */
export type Step = 'major' | 'minor' | 'patch';

/**
 * How much an effect asks of those who run the software. `breaking`: a delivery or the code of a caller that worked may
 * fail. `warning`: look at it. `info`: nothing that worked fails.
 */
export type Level = 'breaking' | 'warning' | 'info';

/** What the other answers of a set decide for one. */
export interface Others {
  /** The status of a refusal. */
  readonly statusOf: (failure: Failure) => number;
  /** Whether the media type is one of JSON. Otherwise nobody reads the content. */
  readonly isJson: boolean;
  /** Whether receivers hold the content against schemas. */
  readonly readsPayload: boolean;
  /** Whether the content of a refusal has a code. */
  readonly hasCode: boolean;
}

/** @param answers those that the software carries out, as JSON */
export function othersIn(answers: Readonly<Record<string, unknown>>): Others {
  const isJson = isJsonMediaType(answers['media-type'] as string | undefined);
  const errors = answers['error-payloads'] as { readonly fields: object } | undefined;
  return {
    statusOf: (failure) => statusOf(failure, answers['status-codes'] ?? {}),
    isJson,
    readsPayload: isJson && answers['payload'] !== undefined,
    hasCode: errors !== undefined && Object.values(errors.fields).includes('code'),
  };
}

/** What a receiver refuses that reads content as JSON, whichever answer makes it do so. */
export const unlessJson = ({ statusOf }: Others): string =>
  `content that is no JSON gets ${statusOf('content-malformed')}, encoded content ${statusOf('media-type-unsupported')}`;

/** An effect: the level that it has at most, and its sentence; `undefined` if the answer doesn't have this effect. */
export type EffectRule<Answer> = readonly [
  level: Level,
  sentence: (
    answer: Answer,
    others: Others & {
      /** The answer in words. */
      readonly words: string;
    },
    /** The answer that this one replaces, if there is one. */
    before?: Answer,
  ) => string | undefined,
];

/** What is seen of something, by its name. */
export type Observations = Readonly<Record<string, string>>;

type SurfacesOf<Id extends QuestionId> = Extract<
  (typeof openQuestions)[number],
  { readonly id: Id }
>['shows'][number];

/** What an answer means. `undefined` as an answer: the question is open. */
export interface Meaning<Id extends QuestionId, Answer, Example, More> {
  /** The value with its unit: `1000 bytes`. */
  readonly inWords: (answer: Plain<Answer>) => string;
  /** An answer that nobody gave, for tests and pages. */
  readonly example: Example;
  /** More such answers, by name, for tests. */
  readonly more?: More;
  /** The questions without whose answers this one shows less, in an order in which each is built on earlier ones. */
  readonly builtOn?: readonly QuestionId[];
  /** What a receiver or a sender does. The id of an effect begins with its side. */
  readonly effects: Readonly<Record<`${'receiver' | 'sender'}.${string}`, EffectRule<Plain<Answer>>>>;
  /**
   * What can fail between a sender with one answer and a receiver with another, in the worst case that the answers
   * allow; `undefined` if nothing can. Default: a delivery never fails by this answer.
   */
  readonly fails?: (
    from: Plain<Answer> | undefined,
    to: Plain<Answer> | undefined,
    sender: Others,
    receiver: Others,
  ) => string | undefined;
  /** The version step of a change. docs/how-to/answer-a-question.md has the rule. */
  readonly step: (
    before: Plain<Answer> | undefined,
    after: Plain<Answer> | undefined,
    old: Others,
    now: Others,
  ) => Step;
  /** What to do if old and new fail in both directions. */
  readonly transition?: (before: Plain<Answer>) => string;
  /**
   * What the example changes in what tools/openapi/test/scenario observes, on exactly the surfaces that the register's
   * `shows` names. `with payload`: it shows there only once payload is answered too.
   */
  readonly shows: {
    readonly [Surface in Exclude<SurfacesOf<Id>, 'document'>]: Observations | `with ${QuestionId}`;
  };
}

/** A kind of answer: the question that it answers, its schema (type, shape and faults), and what it means. */
export interface Kind<
  Id extends QuestionId,
  Answer,
  Example extends Answer = Answer,
  More = unknown,
> extends Meaning<Id, Answer, Example, More> {
  readonly question: Id;
  readonly schema: Schema<Answer>;
}

/** @param question the entry of the register that the kind answers */
export function kind<
  const Id extends QuestionId,
  Answer,
  const Example extends Exact<Answer>,
  const More extends Readonly<Record<string, Exact<Answer>>> = Record<never, never>,
>(
  question: Id,
  schema: Schema<Answer>,
  meaning: Meaning<Id, Exact<Answer>, Example, More>,
): Kind<Id, Exact<Answer>, Example, More> {
  return { question, schema: schema as Schema<Exact<Answer>>, ...meaning };
}

/** `1`, `1 and 2`, `1, 2 and 3`. */
export function listOf(items: readonly (string | number)[], word = 'and'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`;
}

/** Whether two answers are the same JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
