import type { Readable, Writable } from 'node:stream';
import type { Accepts, Answers } from '@plant-store/contract';
import type { BadInput } from './bad-input.js';
import { exitCodes } from './exit-codes.js';

/** What a command reads from and writes to, instead of the process. */
export interface CommandContext {
  /** The answers to the open questions. */
  readonly given: Answers;
  /** What is accepted beside the answers. */
  readonly accepts: Accepts;
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Is aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Is aborted when the user interrupts again. */
  readonly secondSignal: AbortSignal;
}

/**
 * Runs a command with the arguments that follow its name, and returns the exit code.
 *
 * @throws BadInput if the input of the command is wrong.
 */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>;

/** Prints the faults of the input, each on a line. */
export function refuse({ faults }: BadInput, { stderr }: CommandContext): number {
  stderr.write(faults.map((fault) => `plant-store: ${fault}\n`).join(''));
  return exitCodes.badInput;
}
