import type { SourceNode } from '../read/source-node.js';

/** What the code's side says. */
export interface EnteredAnswers {
  /** The file that answers are entered in. */
  readonly source: string;
  /** Every question that there is. */
  readonly questions: readonly string[];
  /** Those that are answered with a schema, of which the value is the JSON Schema. */
  readonly schemas: ReadonlySet<string>;
  /** By question. */
  readonly answers: ReadonlyMap<string, EnteredAnswer>;
}

/** An answer on the code's side. */
export interface EnteredAnswer {
  readonly value: SourceNode;
  readonly file: string;
  /** Where the file names the question first, if it does. */
  readonly line?: number;
}
