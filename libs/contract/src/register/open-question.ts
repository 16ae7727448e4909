/** A place where an answer shows. */
export type Surface = 'receiver' | 'sender' | 'types' | 'document';

/**
 * Something that the specification does not fix. Until it is answered, the software does what `whileOpen` says and
 * nothing more.
 */
export interface OpenQuestion {
  /** Stable name, kebab-case. Code, errors, documents and answers cite it. */
  readonly id: string;
  /** The software carries out an answer that isn't in words, as the file of this id in `../kinds` says. */
  readonly executable?: true;
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
   * Where an answer shows. If the question is executable, the tables of exactly these surfaces have a row for it. Check
   * this list when you make a question executable: until then, it is what an answer in words is about.
   */
  readonly shows: readonly Surface[];
}
