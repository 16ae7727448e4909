/**
 * A handler that appends a line to the file that BEGUN_FILE names when an attempt begins: who makes it, the content, and
 * its number. While the file that HOLD_FILE names exists, no attempt ends. With BLOCK, its process does nothing else then.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { NAME, BEGUN_FILE, HOLD_FILE, BLOCK } = process.env;

export default async function handle({ content, attempts }) {
  appendFileSync(BEGUN_FILE, `${NAME} ${content} ${attempts}\n`);
  while (existsSync(HOLD_FILE))
    if (BLOCK) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    else await pause(20);
}
