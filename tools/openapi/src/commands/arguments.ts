import { ToolError } from '../read/tool-error.js';
import type { Values } from './command.js';

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

/** @throws ToolError `usage` if there are more or fewer positional arguments than named */
export function exactly(names: readonly string[], positionals: readonly string[]): readonly string[] {
  const missing = names[positionals.length];
  const surplus = positionals[names.length];
  if (missing !== undefined) throw new ToolError('usage', `${missing} is missing`);
  if (surplus !== undefined) throw new ToolError('usage', `unexpected argument "${surplus}"`);
  return positionals;
}

/** One of a few words. @throws ToolError `usage` for another */
export function oneOf<Word extends string>(words: readonly Word[], given: string, name: string): Word {
  const word = words.find((candidate) => candidate === given);
  if (word === undefined)
    throw new ToolError('usage', `--${name} is "${given}", not one of ${words.join(', ')}`);
  return word;
}
