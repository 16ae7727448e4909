/** A block of commands of a guide, and its expected result. */
export interface Block {
  readonly commands: string;
  /** Whether the last command must fail. */
  readonly fails: boolean;
  /** Whether the commands only set up a machine. They are not run. */
  readonly isSetup: boolean;
  /** Lines that the output must contain. */
  readonly shows: readonly string[];
}

const FENCE = /^```(\w+)(?: (\w+))?\n([^]*?)^```$/gm;

/** Reads the commands of a Markdown page: each `sh` block, with the `text` block that follows it, and each content of answers.ts. */
export function readGuide(markdown: string): Block[] {
  const blocks: (Block & { shows: string[] })[] = [];
  for (const [, language, mark, content = ''] of markdown.matchAll(FENCE)) {
    if (language === 'ts' && mark === 'answers') {
      const commands = `cat > libs/contract/src/answers.ts <<'END'\n${content}END\n`;
      blocks.push({ commands, fails: false, isSetup: false, shows: [] });
    } else if (language === 'sh') {
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
