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
  /**
   * Catches a second interrupt. Until this is called, it ends the process at once.
   *
   * @returns a signal that is aborted when the user interrupts again
   */
  readonly catchSecondInterrupt: () => AbortSignal;
}

/**
 * Runs a command with the arguments that follow its name, and returns the exit code.
 *
 * @throws BadInput if the input of the command is wrong.
 */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>;

/** Prints a value as one line of JSON. */
export function printJson(value: object, { stdout }: CommandContext): void {
  stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints the faults of the input, each on a line, and as JSON if that is asked for. */
export function refuse({ faults }: BadInput, isJson: boolean, context: CommandContext): number {
  const exitCode = exitCodes.badInput;
  context.stderr.write(faults.map((fault) => `plant-store: ${fault}\n`).join(''));
  if (isJson) printJson({ exitCode, faults }, context);
  return exitCode;
}
