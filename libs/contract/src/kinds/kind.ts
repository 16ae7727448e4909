import type { AnswerSchema } from '../answer-schema.js';

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
