/** A step of a semantic version. */
export type Step = 'major' | 'minor' | 'patch' | 'none';

/** The other answers as JSON, by question. */
export type Others = Readonly<Record<string, unknown>>;

/** What one kind of answer means. `undefined` as an answer: the question is open. */
export interface EffectRow<Answer> {
  readonly inWords: (answer: Answer) => string;
  /** What a receiver does, in one sentence. */
  readonly receiver?: (answer: Answer, others: Others) => string | undefined;
  /** What a sender does, in one sentence. */
  readonly sender?: (answer: Answer, others: Others) => string | undefined;
  /** What else is to be said of a change, beside the new sentences. */
  readonly change?: (
    before: Answer | undefined,
    after: Answer | undefined,
    others: Others,
  ) => { readonly receiver?: string; readonly sender?: string; readonly rollout?: string };
  /**
   * What can fail between a sender with one answer and a receiver with another, in the worst case that the answers
   * allow; `undefined` if nothing can. A row without it never makes a delivery fail.
   */
  readonly fails?: (
    sender: Answer | undefined,
    receiver: Answer | undefined,
    others: Others,
  ) => string | undefined;
  /** docs/how-to/answer-a-question.md has the rule. */
  readonly step: (before: Answer | undefined, after: Answer | undefined, others: Others) => Step;
  /** How `accepts` avoids a transition from an old answer. */
  readonly accepts?: (before: Answer) => string;
}
