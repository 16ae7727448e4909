import type { ParseArgsConfig } from 'node:util';

/** How a command ended: nothing found, something found, or it could not run. */
export type ExitCode = 0 | 1 | 2;

/** Where a command writes. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The options of a command line, as `node:util` parses them. */
export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** One command of the tool. */
export interface Command {
  /** A line for the list of commands. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** @throws ToolError if it cannot run */
  readonly run: (values: Values, positionals: readonly string[], output: Output) => Promise<ExitCode>;
}
