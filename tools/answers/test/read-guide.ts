/** A block of commands of a guide, and what it promises. */
export interface Block {
  readonly commands: string;
  /** Whether the commands end with a fault, which is what the guide wants to show. */
  readonly fails: boolean;
  /** Whether the commands only prepare a machine. */
  readonly isSetup: boolean;
  /** Lines that are to be seen in the output. */
  readonly shows: readonly string[];
}

const FENCE = /^```(\w+)(?: (\w+))?\n([^]*?)^```$/gm;

/** Reads the commands of a Markdown page: `sh` blocks, each with the `text` block that follows it. */
export function readGuide(markdown: string): Block[] {
  const blocks: (Block & { shows: string[] })[] = [];
  for (const [, language, mark, content = ''] of markdown.matchAll(FENCE)) {
    if (language === 'sh') {
      blocks.push({ commands: content, fails: mark === 'fails', isSetup: mark === 'setup', shows: [] });
    } else if (language === 'text') {
      blocks.at(-1)?.shows.push(
        ...content
          .trim()
          .split('\n')
          .map((line) => line.trim()),
      );
    }
  }
  return blocks;
}
