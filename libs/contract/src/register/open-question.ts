/** A place where an answer becomes visible. */
export type Surface = 'receiver' | 'sender' | 'types' | 'document';

/**
 * Something that the specification does not fix. Until it is answered, nobody decides it: the software
 * does what `whileOpen` says and nothing more.
 */
export interface OpenQuestion {
  /** Stable name, kebab-case. It is cited in code, errors, documents and answers. */
  readonly id: string;
  /** Section of the specification, as `§4`. */
  readonly section: `§${number}`;
  /** `specification`: the section says "not shown". `us`: a hole that we found. */
  readonly foundBy: 'specification' | 'us';
  /** A few words, for headings. */
  readonly title: string;
  /** The question, as one would put it to whoever can answer it. */
  readonly question: string;
  /** What the software does meanwhile; a surface that is not named is not affected. */
  readonly whileOpen: {
    readonly receiver?: string;
    readonly sender?: string;
    readonly document?: string;
  };
  /** What an answer looks like. */
  readonly answer: string;
  /** Where an answer would show. */
  readonly shows: readonly Surface[];
}
