/** What a kind of answer is. The other files of this folder have them, by theme. */
import type { AnswerSchema } from '../answer-schema.js';

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

/** A kind of answer: its schema gives the type, the shape and what is wrong with a value. */
export function kind<Answer>(schema: Schema<Answer>): Schema<Exact<Answer>> {
  return schema as Schema<Exact<Answer>>;
}
