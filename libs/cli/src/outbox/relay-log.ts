import type { Writable } from 'node:stream';
import { isPlantStoreError } from '@plant-store/sdk';
import { systemReason } from '@plant-store/command/system-reason';
import { type CommandContext, oneLine } from '../context.js';
import { adviceOn, failureRecord } from '../send/failures.js';

/** Writes a line of the log. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

/** If nobody reads the log, so many bytes of it wait. Further lines are left out. */
const MOST_UNREAD = 1_048_576;

/** The log of a relay: lines of JSON on standard output. It never waits for whoever reads them. */
export function logTo({ stdout }: CommandContext): Log {
  // A write to a pipe that is full would stop the process: Node.js makes them block.
  (stdout as Writable & { _handle?: { setBlocking?(isBlocking: boolean): void } })._handle?.setBlocking?.(
    false,
  );
  let leftOut = 0;
  const write = (line: object): void => void stdout.write(`${JSON.stringify(line)}\n`);
  return (level, msg, fields) => {
    const time = new Date().toISOString();
    if (stdout.writableLength > MOST_UNREAD) {
      leftOut += 1;
      return;
    }
    if (leftOut > 0)
      write({ level: 'warn', time, msg: 'lines were left out, because nobody read the log', leftOut });
    leftOut = 0;
    write({ level, time, msg, ...fields });
  };
}

/** Why something failed, for the log. */
export function reasonOf(error: Error): object {
  if (!isPlantStoreError(error))
    return { code: (error as NodeJS.ErrnoException).code, reason: oneLine(systemReason(error)) };
  const { message: reason, ...record } = failureRecord(error);
  return { ...record, reason, advice: adviceOn(error) || undefined };
}
