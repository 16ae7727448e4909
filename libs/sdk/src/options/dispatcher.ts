import type { Dispatcher } from 'undici';
import { invalidOption } from '../errors/invalid-options-error.js';
import type { OptionValues } from './read-options.js';

/** What a dispatcher replaces. */
const replaced = ['ca', 'cert', 'key', 'connectTimeout'];

/** Reads `dispatcher`. */
export function readDispatcher(option: unknown, name: string, options: OptionValues): Dispatcher | undefined {
  if (option === undefined) return undefined;
  const dispatcher: Partial<Dispatcher> | null = option;
  if (typeof dispatcher?.dispatch !== 'function') {
    throw invalidOption(name, 'must be a Dispatcher of undici 7 or later.');
  }
  const useless = replaced.filter((other) => options[other] !== undefined);
  if (useless.length === 0) return dispatcher as Dispatcher;
  const list = useless.map((other) => `\`${other}\``).join(', ');
  throw invalidOption(name, `makes the connections. Leave out ${list}, and set them in the dispatcher.`);
}
