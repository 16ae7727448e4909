import type { Readable, Writable } from 'node:stream';
import { EXIT_CODES, examplesText } from '@plant-store/command/command-line';
import { escapeHidden } from '@plant-store/command/printable';
import type { AnswerValues } from '@plant-store/contract';

/** What a command reads from and writes to, instead of the process. */
export interface CommandContext {
  /** The answers to the open questions. */
  readonly given: AnswerValues;
  /** Without variables that are empty: they count as not set. */
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Is aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Is aborted when the user interrupts again. */
  readonly secondSignal: AbortSignal;
}

/** The environment variable with the address of an outbox's database. It may have a password, so it is never an argument. */
export const databaseVariable = 'PLANT_STORE_OUTBOX_URL';

/** Exit codes, for scripts. The commands of an outbox and the relay use the first three. */
export const exitCodes = {
  acknowledged: 0,
  notAcknowledged: 1,
  badInput: 2,
  notSent: 3,
  unknown: 4,
} as const;

/** The end of a help text: examples of a command, and exit codes. */
export const helpEnd = (examples: readonly string[], codes = EXIT_CODES): string =>
  `${examplesText('plant-store', examples)}\n${codes}`;

/** The input of the command is wrong: one line for each fault. */
export class BadInput extends Error {
  readonly faults: readonly string[];

  constructor(...faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Does one of several things that may be bad input, and adds its faults to those of the others. */
export async function collectFaults<T>(faults: string[], work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

/** A command could not be done, for a reason that its user can do something about. It exits with 1. */
export class CommandFailed extends Error {}

/** Prints a line for people on standard error. */
export function say(text: string, { stderr }: Pick<CommandContext, 'stderr'>): void {
  stderr.write(`plant-store: ${oneLine(text)}\n`);
}

/** Text as one line, without characters that a terminal acts on. */
export function oneLine(text: string): string {
  return escapeHidden(text.replaceAll(/\s+/g, ' ').trim());
}

/** The values of the option that says how a result is printed. */
export interface OutputValues {
  readonly output?: 'text' | 'json' | 'raw';
}

/** Prints the result of a delivery: on standard output, one value. */
export function printJson(value: object, { stdout }: CommandContext): void {
  stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}
