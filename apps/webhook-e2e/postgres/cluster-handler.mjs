/**
 * A handler that appends the digest of each content to the file that HANDLED_FILE names. While the file that WAIT_FILE
 * names exists, no attempt ends.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { HANDLED_FILE, WAIT_FILE } = process.env;

export default async function handle({ content }) {
  while (existsSync(WAIT_FILE)) await pause(20);
  appendFileSync(HANDLED_FILE, `${createHash('sha256').update(content).digest('hex')}\n`);
}
