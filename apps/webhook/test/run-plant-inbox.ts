import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

import { runPlantInbox } from '../src/inbox-command/plant-inbox.js';
import type { CommandProcess } from '../src/inbox-command/terminal.js';

/** What a command has done. */
export interface Result {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a command runs: by default with nothing to read, and its output in files. */
export interface Situation {
  readonly stdin?: string;
  /** Of the terminal, if it is on one. */
  readonly columns?: number;
  /** Is told what it writes, as it writes it. It may interrupt the command. */
  readonly onWrite?: (text: string, interrupt: () => void) => unknown;
}

/** The process of a command, within this one. */
export class InnerProcess extends EventEmitter implements CommandProcess {
  readonly stdin: Readable & { readonly isTTY: boolean };
  readonly stdout: Writable & { readonly isTTY: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY: boolean };
  exitCode?: CommandProcess['exitCode'];
  readonly #written = { stdout: [] as Buffer[], stderr: [] as Buffer[] };

  constructor({ stdin = '', columns, onWrite }: Situation = {}) {
    super();
    const isTTY = columns !== undefined;
    const output = (written: Buffer[]): Writable =>
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          written.push(chunk);
          onWrite?.(chunk.toString(), () => this.emit('SIGINT'));
          done();
        },
      });
    this.stdin = Object.assign(Readable.from([stdin]), { isTTY });
    this.stdout = Object.assign(output(this.#written.stdout), { isTTY, ...(isTTY && { columns }) });
    this.stderr = Object.assign(output(this.#written.stderr), { isTTY });
  }

  /** The bytes on its standard output. */
  get bytes(): Buffer {
    return Buffer.concat(this.#written.stdout);
  }

  get result(): Result {
    const text = (written: readonly Buffer[]): string => Buffer.concat(written).toString();
    return {
      code: this.exitCode ?? 0,
      // A terminal gets colours. A test of colours needs a process of its own.
      stdout: stripVTControlCharacters(text(this.#written.stdout)),
      stderr: text(this.#written.stderr),
    };
  }
}

/** Runs `plant-inbox` in a situation, with every question open. */
export async function plantInboxIn(situation: Situation, ...args: readonly string[]): Promise<InnerProcess> {
  const inner = new InnerProcess(situation);
  await runPlantInbox(args, inner, {});
  return inner;
}

/** Runs `plant-inbox`, with every question open. */
export async function plantInbox(...args: readonly string[]): Promise<Result> {
  return (await plantInboxIn({}, ...args)).result;
}
