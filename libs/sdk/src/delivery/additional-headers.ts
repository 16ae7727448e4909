import { PlantStoreError } from '../errors/plant-store-error.js';
import type { HeaderHook, OutgoingDelivery } from '../options/header-hook.js';

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Header fields that frame the message or that other options settle. */
const reserved = [
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Calls the `headers` hook for an attempt, and gives its fields as a flat list of names and values.
 *
 * @param settled Names of the fields that answers settle, in lower case.
 */
export function additionalHeaders(
  hook: HeaderHook,
  settled: readonly string[],
): (delivery: OutgoingDelivery) => string[] {
  const taken: ReadonlySet<string> = new Set([...reserved, ...settled]);
  return (delivery) =>
    Object.entries(callHook(hook, delivery)).flatMap(([name, value]) => {
      if (!namePattern.test(name)) throw headersFailed('`headers` gave a name that is none.');
      if (taken.has(name.toLowerCase())) throw headersFailed(`\`headers\` must not set ${name}.`);
      if (typeof value !== 'string' || !valuePattern.test(value)) {
        throw headersFailed(`\`headers\` gave a value of ${name} that is none.`);
      }
      return [name, value];
    });
}

function callHook(hook: HeaderHook, delivery: OutgoingDelivery): Readonly<Record<string, string>> {
  try {
    return hook(delivery);
  } catch (cause) {
    throw headersFailed('`headers` threw.', cause);
  }
}

function headersFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_HEADERS_FAILED', message, { outcome: 'not-sent', cause });
}
