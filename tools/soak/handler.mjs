/**
 * A handler that does what the first line of the content says. It appends the number of each delivery that it handled to
 * the file that SOAK_HANDLED names. What was written stays, however the process ends.
 */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const handled = openSync(process.env['SOAK_HANDLED'], 'a');

const fail = () => {
  throw new Error('failed on purpose');
};

/** @type {Record<string, (delivery: any) => Promise<void> | void>} */
const fates = {
  handle: () => undefined,
  wait: () => pause(Math.random() * 20),
  // Either name counts attempts: those that failed, or those that began.
  'fail once': ({ attempts }) => (attempts === 1 ? fail() : undefined),
  fail,
};

/** @param {{ content: Buffer }} delivery */
export default async function handle(delivery) {
  const [, sequence, fate] = /^(\d+) ([a-z ]+)\n/.exec(delivery.content.toString('latin1', 0, 40)) ?? [];
  await fates[fate ?? 'fail']?.(delivery);
  writeSync(handled, `${sequence}\n`);
}
