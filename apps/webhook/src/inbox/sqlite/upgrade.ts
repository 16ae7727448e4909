import { once } from 'node:events';

import { inboxClosed, ReceiverError } from '../../errors.js';
import { openingError } from './open-database.js';
import type { ThreadResponse } from './sqlite-thread.js';
import { startUpgrade } from './start-thread.js';

/**
 * Brings the inbox in a folder to the version of this receiver, in a process of its own. That may take minutes, and neither
 * a thread nor the process that has it can be ended while SQLite is at work. When the signal aborts, or this process ends,
 * the other one ends at once, and leaves the inbox as it was.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`, `INBOX_DAMAGED`, or `INBOX_CLOSED` if the signal aborts
 */
export async function upgrade(folder: string, signal: AbortSignal): Promise<void> {
  const child = startUpgrade(folder);
  let response: ThreadResponse | undefined;
  child.once('message', (message) => (response = message as ThreadResponse));
  const end = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    // What it has sent comes before it is disconnected.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  } catch (error) {
    throw openingError(folder, error);
  } finally {
    signal.removeEventListener('abort', end);
  }
  if (response !== undefined && 'refused' in response)
    throw new ReceiverError(response.refused.code, response.refused.message, { cause: response.fault });
  if (response !== undefined) return;
  if (signal.aborted) throw inboxClosed(folder);
  const { exitCode, signalCode } = child;
  throw openingError(
    folder,
    new Error(
      `the process that brings it to another version has ended (${signalCode ?? `exit code ${exitCode}`})`,
    ),
  );
}
