import * as v from 'valibot';
import type { AnswerSchema } from '../answer-schema.js';
import type { QuestionId } from '../register/register.js';
import { contentKinds } from './content.js';
import { deliveryKinds } from './deliveries.js';
import { said } from './parts.js';
import { requestKinds } from './requests.js';
import { responseKinds } from './responses.js';

/** A schema of Valibot, as far as the types of the package know it. So whoever uses them need not read Valibot's. */
export interface Kind<Answer> {
  /** Never set. */
  readonly '~types'?: { readonly output: Answer } | undefined;
}

/** The type of what a schema accepts. */
export type AnswerOf<Schema extends Kind<unknown>> = NonNullable<Schema['~types']>['output'];

/** Schemas as kinds of answers, of which nothing can be changed, and no member is `undefined`. */
export function kindsOf<Answers>(schemas: { readonly [Id in keyof Answers]: Kind<Answers[Id]> }) {
  return schemas as { readonly [Id in keyof Answers]: Kind<Exact<Answers[Id]>> };
}

type Exact<Value> = Value extends string | number | boolean | AnswerSchema
  ? Value
  : { readonly [Key in keyof Value]: Exact<Exclude<Value[Key], undefined>> };

/**
 * The kinds of answers that the software carries out, by question. The schema of a kind is the type of an answer, its
 * shape and its faults. CONTRIBUTING.md says how to add one.
 */
export const kinds = kindsOf({
  ...requestKinds,
  ...contentKinds,
  ...responseKinds,
  ...deliveryKinds,
}) satisfies { readonly [Id in QuestionId]?: Kind<unknown> };

/** An answer to one of these questions that no kind fits, or that the software is not to carry out yet. */
export const { words } = kindsOf({ words: v.strictObject({ inWords: said }) });
