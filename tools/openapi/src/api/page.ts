/** A piece of running text: words, something literal, or a link to a section of the same page. */
export type Span = string | { readonly code: string } | { readonly to: string; readonly text: string };

/** Running text. */
export type Text = readonly Span[];

/** A name and what there is to say of it. */
export interface Fact {
  readonly name: string;
  readonly value: Text;
}

/** A table of texts; the first column heads its row. */
export interface Table {
  readonly kind: 'table';
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Text[])[];
}

/** What a section consists of, in reading order. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: Text }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | { readonly kind: 'code'; readonly caption: Text; readonly language: string; readonly code: string }
  | Table;

/** A heading and what stands below it. */
export interface Section {
  /** Stable and unique on the page; links name it. */
  readonly id: string;
  readonly title: string;
  /** Says of a question whether it is open. */
  readonly state?: 'open' | 'answered';
  readonly blocks: readonly Block[];
  readonly sections: readonly Section[];
}

/** The interface as a person reads it. Each renderer writes all of it, so that all of them say the same. */
export interface Page {
  readonly title: string;
  /** A line below the title. */
  readonly subtitle: string;
  readonly blocks: readonly Block[];
  readonly sections: readonly Section[];
  /** The command that writes the page. */
  readonly generator: string;
  /** The files that it is made from. */
  readonly sources: readonly string[];
}

/** Text in which whatever stands between back quotes is literal, as the register writes it. */
export function textOf(written: string): Text {
  return written
    .split('`')
    .map((part, index): Span => (index % 2 === 0 ? part : { code: part }))
    .filter((span) => span !== '');
}

/** Texts in a row, with words between them. */
export function join(texts: readonly Text[], between: string): Text {
  return texts.flatMap((text, index) => (index === 0 ? text : [between, ...text]));
}

/** Running text without its marks. */
export function wordsOf(text: Text): string {
  return text
    .map((span) => (typeof span === 'string' ? span : 'code' in span ? span.code : span.text))
    .join('');
}
