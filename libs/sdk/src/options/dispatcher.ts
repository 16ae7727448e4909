import type { Dispatcher } from 'undici';
import { Fault } from './faults.js';

/** What a dispatcher replaces. */
const replaced = ['ca', 'cert', 'key', 'connectTimeout'] as const;

type UncheckedOptions = { readonly [Name in (typeof replaced)[number] | 'dispatcher']?: unknown };

/** Reads `dispatcher`. */
export function readDispatcher(options: UncheckedOptions): Dispatcher | undefined {
  const { dispatcher } = options;
  if (dispatcher === undefined) return undefined;
  if (!isDispatcher(dispatcher)) throw new Fault('dispatcher', 'must be a Dispatcher of undici 7 or later.');
  const useless = replaced.filter((name) => options[name] !== undefined);
  if (useless.length === 0) return dispatcher;
  const list = useless.map((name) => `\`${name}\``).join(', ');
  throw new Fault('dispatcher', `makes the connections. Leave out ${list}, and set them in the dispatcher.`);
}

function isDispatcher(value: unknown): value is Dispatcher {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  );
}
