import type { ParseArgsConfig } from 'node:util';
import { ToolError } from '../read/tool-error.js';

/** How a command ended: nothing found, something found, or it could not run. */
export type ExitCode = 0 | 1 | 2;

/** Where a command writes. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The options of a command, as `node:util` takes them. */
export type Options = NonNullable<ParseArgsConfig['options']>;

/** The options of a command line, as `node:util` parses them. */
export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** One command of the tool. */
export interface Command {
  /** A line for the list of commands. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  readonly options: Options;
  /** @throws ToolError if it cannot run */
  readonly run: (values: Values, positionals: readonly string[], output: Output) => Promise<ExitCode>;
}

/** The text of an option, if it was given. */
export function optional(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === '') throw new ToolError('usage', `--${name} is empty`);
  return typeof value === 'string' ? value : undefined;
}

/** The text of an option. @throws ToolError `usage` if it was not given */
export function required(values: Values, name: string): string {
  const value = optional(values, name);
  if (value === undefined) throw new ToolError('usage', `--${name} is missing`);
  return value;
}

/** The entry of a table that an option names. @throws ToolError `usage` if the table has no such entry */
export function choice<Value>(values: Values, name: string, table: Readonly<Record<string, Value>>): Value {
  const given = required(values, name);
  const chosen = Object.hasOwn(table, given) ? table[given] : undefined;
  if (chosen === undefined)
    throw new ToolError('usage', `--${name} is "${given}", not one of ${Object.keys(table).join(', ')}`);
  return chosen;
}

/** @throws ToolError `usage` if there are more or fewer positional arguments than named */
export function exactly(names: readonly string[], positionals: readonly string[]): readonly string[] {
  const missing = names[positionals.length];
  const surplus = positionals[names.length];
  if (missing !== undefined) throw new ToolError('usage', `${missing} is missing`);
  if (surplus !== undefined) throw new ToolError('usage', `unexpected argument "${surplus}"`);
  return positionals;
}
