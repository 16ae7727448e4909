import { code, codeBlock, escape, generatedBy, table } from './markdown.js';

/** A piece of running text: words, something literal, or a link to a section of the same page. */
export type Span = string | { readonly code: string } | { readonly to: string; readonly text: string };

/** Running text. */
export type Text = readonly Span[];

/** A name and what there is to say about it. */
export interface Item {
  readonly name: string;
  readonly value: Text;
}

/** What a section consists of, in reading order. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: Text }
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  | { readonly kind: 'code'; readonly caption: string; readonly language: string; readonly code: string }
  | {
      readonly kind: 'table';
      readonly caption: string;
      readonly head: readonly string[];
      /** The first cell heads its row. */
      readonly rows: readonly (readonly Text[])[];
    };

/** A heading and what stands below it. */
export interface Section {
  /** Unique on the page; links name it. */
  readonly id: string;
  readonly title: string;
  /** Of a question. */
  readonly state?: 'open' | 'answered';
  readonly blocks: readonly Block[];
  readonly sections?: readonly Section[];
}

/** A page for people. Each renderer writes all of it. */
export interface Page {
  readonly title: string;
  /** A line below the title. */
  readonly subtitle?: string;
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

/** A paragraph in which whatever stands between back quotes is literal. Nothing for no text. */
export function paragraph(written: string | undefined): Block[] {
  return written === undefined ? [] : [{ kind: 'paragraph', text: textOf(written) }];
}

/** Texts in a row, with words between them. */
export function join(texts: readonly Text[], between: string): Text {
  return texts.flatMap((text, index) => (index === 0 ? text : [between, ...text]));
}

/**
 * The fragment of each section by its id. It is the one that GitHub gives to a heading in Markdown, numbered where
 * headings repeat, so that a link leads to the same place in every rendering.
 */
export function anchorsOf({ title, sections }: Page): ReadonlyMap<string, string> {
  const used = new Map<string, number>();
  const slugOf = (heading: string): string => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
  const entriesOf = (section: Section): [string, string][] => [
    [section.id, slugOf(section.title)],
    ...(section.sections ?? []).flatMap(entriesOf),
  ];
  slugOf(title);
  return new Map(sections.flatMap(entriesOf));
}

/** The page as Markdown. Prettier lays it out. */
export function renderMarkdown(page: Page): string {
  const anchors = anchorsOf(page);
  const text = (spans: Text): string =>
    spans
      .map((span) => {
        if (typeof span === 'string') return escape(span);
        return 'code' in span
          ? code(span.code)
          : `[${escape(span.text)}](#${anchors.get(span.to) ?? span.to})`;
      })
      .join('');
  const markdown = (block: Block): string => {
    switch (block.kind) {
      case 'paragraph':
        return text(block.text);
      case 'list':
        return block.items.map(({ name, value }) => `- ${escape(name)}: ${text(value)}`).join('\n');
      case 'code':
        return `${escape(block.caption)}\n\n${codeBlock(block.code, block.language)}`;
      case 'table':
        return table(
          block.head,
          block.rows.map((row) => row.map(text)),
        );
    }
  };
  const section = (depth: number, { title, blocks, sections = [] }: Section): string[] => [
    `${'#'.repeat(depth)} ${escape(title)}`,
    ...blocks.map(markdown),
    ...sections.flatMap((nested) => section(depth + 1, nested)),
  ];
  const { title, subtitle, generator, sources } = page;
  const parts = [
    generatedBy(generator, sources),
    `# ${escape(title)}`,
    ...(subtitle === undefined ? [] : [escape(subtitle)]),
    ...page.blocks.map(markdown),
    ...page.sections.flatMap((one) => section(2, one)),
  ];
  return `${parts.join('\n\n')}\n`;
}
