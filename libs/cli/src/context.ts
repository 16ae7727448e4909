import type { Readable, Writable } from 'node:stream';
import type { AnswerValues } from '@plant-store/contract';
import { Option } from 'commander';

/** What a command reads from and writes to, instead of the process. */
export interface CommandContext {
  /** The answers to the open questions. */
  readonly given: AnswerValues;
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
export const exitCodes = Object.freeze({
  acknowledged: 0,
  notAcknowledged: 1,
  badInput: 2,
  notSent: 3,
  unknown: 4,
});

/** What an exit code says of a plant. */
export type Result = keyof typeof exitCodes;

const [DONE, FAILED, WRONG, CANNOT_RUN] = [
  'done',
  'failed, or done in part: standard error says why',
  'the command line, an input or a setting is wrong; nothing was done',
  'the command cannot run: it is not compiled, or Node.js is too old',
];

/** The exit codes, for the help. `plant-inbox` has the same. */
export const EXIT_CODES = `
Exit codes:
  0  ${DONE}
  1  ${FAILED}
  2  ${WRONG}
  5  ${CANNOT_RUN}`;

/** Those of `plant-store send`. README.md has the same table. */
export const SEND_EXIT_CODES = `
Exit codes:
  0  ${DONE}: acknowledged
  1  failed: the receiver responded with a status that doesn't acknowledge
  2  ${WRONG}
  3  not sent: no connection, or the run ended early; the rest is safe to send
  4  unknown: no response, or it is not recorded; the plant may be accepted
  5  ${CANNOT_RUN}`;

/** Examples of a command, for its help. */
export const examplesText = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  plant-store ${example}`).join('\n')}`;

/**
 * The exit code of a command that knows so many plants with each result: that of the worst one. What a script must not
 * send again comes first, then what it can send again, then what a person has to correct.
 */
export function exitCodeOf(counts: Partial<Record<Result, number>>): number {
  const worstFirst = ['unknown', 'notAcknowledged', 'notSent', 'badInput'] as const;
  return exitCodes[worstFirst.find((result) => counts[result]) ?? 'acknowledged'];
}

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

/** Prints a line for people on standard error. Control characters don't reach a terminal. */
export function say(text: string, { stderr }: Pick<CommandContext, 'stderr'>): void {
  stderr.write(`plant-store: ${oneLine(text)}\n`);
}

/** Text as one line, without characters that a terminal acts on. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** The values of the option that says how a result is printed. */
export interface OutputValues {
  readonly output?: 'text' | 'json' | 'raw';
}

/** That option. `plant-inbox` has the same. `raw` writes the bytes of a content, and nothing else. */
export function outputOption(...more: readonly 'raw'[]): Option {
  return new Option('-o, --output <format>', 'how to print it').choices(['text', 'json', ...more]);
}

/** Prints the result of a delivery: on standard output, one value. */
export function printJson(value: object, { stdout }: CommandContext): void {
  stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}
