import type { Readable, Writable } from 'node:stream';
import type { Answers } from '@plant-store/contract';

/** What the command works with, instead of reaching for the process. */
export interface CommandContext {
  /** The answers to the open questions. */
  readonly given: Answers;
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborts when the user interrupts the command. */
  readonly signal: AbortSignal;
}
