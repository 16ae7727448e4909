/** A place where an answer shows. */
export type Surface = 'receiver' | 'sender' | 'types' | 'document';

/**
 * Which side gets an answer first. In a `transition`, old and new work together in neither order, so something is done
 * before: docs/how-to/answer-a-question.md says what.
 */
export type Rollout = 'any order' | 'receivers first' | 'senders first' | 'transition';

/** A step of a semantic version, of the SDK and of the contract. */
export type Step = 'major' | 'minor' | 'patch';

/** What the first answer to a question does. A change of an answer, or its removal, is a transition, and major. */
export interface Consequences {
  /** What receivers do from then on. */
  readonly receiver?: string;
  /** What senders do from then on. */
  readonly sender?: string;
  /** What the document shows from then on. */
  readonly document?: string;
  /** The worst that an answer to this question may ask for, unless `but` names it. */
  readonly rollout: Rollout;
  /** As with `rollout`. */
  readonly step: Step;
  /** For which answers rollout or step differ. */
  readonly but?: string;
}

/**
 * Something that the specification does not fix. Until it is answered, the software does what `whileOpen` says and
 * nothing more.
 */
export interface OpenQuestion {
  /** Stable name, kebab-case. Code, errors, documents and answers cite it. */
  readonly id: string;
  /** Section of the specification, as `§4`. */
  readonly section: `§${number}`;
  /** `specification`: the section says "not shown". `us`: a hole that we found. */
  readonly foundBy: 'specification' | 'us';
  /** A heading of a few words. */
  readonly title: string;
  /** The question for the person who can answer it. */
  readonly question: string;
  /** What the software does while the question is open. A surface that is left out is not affected. */
  readonly whileOpen: {
    readonly receiver?: string;
    readonly sender?: string;
    readonly document?: string;
  };
  /** The form of an answer. */
  readonly answer: string;
  /**
   * What an answer does. A question that has it is executable: the software carries out an answer that isn't in words,
   * of the form that `../kinds` says.
   */
  readonly answered?: Consequences;
  /** The executable questions without whose answers an answer does nothing, or shows nothing in the document. */
  readonly beside?: readonly string[];
  /**
   * Where an answer shows. If the question is executable, the tables of exactly these surfaces have a row for it. Check
   * this list when you make a question executable: until then, it is what an answer in words is about.
   */
  readonly shows: readonly Surface[];
}
