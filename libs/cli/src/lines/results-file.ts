import {
  closeSync,
  createReadStream,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs';
import type { Outcome } from '@plant-store/sdk';
import { BadInput } from '../context.js';
import { reasonOf } from '../input.js';
import { readLines } from './lines.js';

/** The first record of each run: what is sent, and where. */
export interface RunRecord {
  /** Size of the input in bytes; null if it can't be read again. */
  readonly input: number | null;
  readonly url: string;
}

/**
 * From here on, the lines up to `begun` may be sent. It is written before that. At an orderly end, a last one says how
 * far the run came.
 */
export interface BegunRecord {
  readonly begun: number;
  /** A line that was read. */
  readonly line: number;
  /** The beginning of the SHA-256 of the lines up to that one, each with a line feed. */
  readonly sha256: string;
}

/** The result of a line. The last one of a line counts. */
export interface ResultRecord {
  /** Counted from 1. */
  readonly line: number;
  readonly outcome: 'acknowledged' | Outcome;
  readonly status?: number;
  readonly code?: string;
  /** What happened, for people. */
  readonly message?: string;
}

/** What is known of one line: bits. */
const ACKNOWLEDGED = 1;
/** A delivery may have been accepted. */
const UNKNOWN = 2;
/** It has a result in this run. */
const ENDED = 4;

const BITS = { acknowledged: ACKNOWLEDGED, unknown: UNKNOWN, responded: 0, 'not-sent': 0 } as const;

/** What earlier runs have done with the lines. It takes one byte of memory for each line. */
export class EarlierRuns {
  /** How far the input was read, and its digest up to there. */
  checkpoint: BegunRecord | undefined;
  /** Length of the file up to its last whole record. */
  length = 0;
  #states = new Uint8Array(1_024);
  #begun = 0;

  isAcknowledged(line: number): boolean {
    return (this.#stateOf(line) & ACKNOWLEDGED) !== 0;
  }

  /** Whether the receiver may have accepted the line, and no acknowledgement is recorded. */
  isUnknown(line: number): boolean {
    return (this.#stateOf(line) & (ACKNOWLEDGED | UNKNOWN)) === UNKNOWN;
  }

  addBegun(record: BegunRecord): void {
    this.#begun = record.begun;
    if (record.line > (this.checkpoint?.line ?? 0)) this.checkpoint = record;
  }

  addResult({ line, outcome }: ResultRecord): void {
    if (line >= this.#states.length) this.#grow(line);
    this.#states[line] = this.#stateOf(line) | ENDED | BITS[outcome];
  }

  /** Ends a run: what it may have sent without a result is unknown. */
  endRun(): void {
    if (this.#begun >= this.#states.length) this.#grow(this.#begun);
    for (let line = 1; line <= this.#begun; line += 1) {
      const state = this.#stateOf(line);
      this.#states[line] = (state & ENDED) === 0 ? state | UNKNOWN : state & ~ENDED;
    }
    for (let line = this.#begun + 1; line < this.#states.length; line += 1) this.#states[line]! &= ~ENDED;
    this.#begun = 0;
  }

  #stateOf(line: number): number {
    return this.#states[line] ?? 0;
  }

  #grow(line: number): void {
    const larger = new Uint8Array(Math.max(line + 1, this.#states.length * 2));
    larger.set(this.#states);
    this.#states = larger;
  }
}

/**
 * Reads the results of earlier runs with the same input and address.
 *
 * @throws BadInput if they can't be read, or belong to another input or address.
 */
export async function readEarlierRuns(path: string, run: RunRecord): Promise<EarlierRuns> {
  const runs = new EarlierRuns();
  let isFirst = true;
  try {
    for await (const { content, number, end } of readLines(createReadStream(path))) {
      // The end of the last record is missing if the process was killed while it wrote.
      if (end === runs.length + content.byteLength) break;
      addRecord(runs, parse(content, path, number), { run, path, number });
      isFirst = false;
      runs.length = end;
    }
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput(`The results file ${path} can't be read: ${reasonOf(error)}.`);
  }
  if (isFirst) throw new BadInput(`${path} has no results. Delete it, and run the command without --resume.`);
  runs.endRun();
  return runs;
}

type AnyRecord = Partial<RunRecord & BegunRecord & ResultRecord>;

function parse(content: Buffer, path: string, number: number): AnyRecord {
  try {
    return JSON.parse(content.toString()) as AnyRecord;
  } catch {
    throw damaged(path, number);
  }
}

function damaged(path: string, number: number): BadInput {
  return new BadInput(`${path} is damaged at its line ${number}. Nothing was sent.`);
}

function isResult(record: AnyRecord): record is ResultRecord {
  return record.line! > 0 && Object.hasOwn(BITS, record.outcome ?? '');
}

function addRecord(
  runs: EarlierRuns,
  record: AnyRecord,
  place: { readonly run: RunRecord; readonly path: string; readonly number: number },
): void {
  const { run, path, number } = place;
  if (record.input !== undefined) {
    if (record.url !== run.url)
      throw new BadInput(
        `${path} is about deliveries to ${record.url}, and this command sends to ${run.url}.`,
      );
    if (record.input !== run.input) throw changed(`it had ${record.input} bytes, and has ${run.input} now`);
    runs.endRun();
  } else if (number === 1) {
    throw new BadInput(`${path} is not a results file of plant-store.`);
  } else if (record.begun !== undefined) {
    runs.addBegun(record as BegunRecord);
  } else if (!isResult(record)) {
    throw damaged(path, number);
  } else {
    runs.addResult(record);
  }
}

/** The input is not the one of the earlier runs. Otherwise lines would be skipped or sent twice. */
export function changed(how: string): BadInput {
  return new BadInput(
    `The input has changed since it was sent: ${how}. Put it back as it was, or send the lines that are missing as ` +
      'another file. Nothing was sent.',
  );
}

/** The results of a run, one JSON object a line. A record that was appended survives the end of the process. */
export class ResultsFile {
  readonly path: string;
  readonly #fd: number;
  /** Why a record can't be written. Then no further one is. */
  failure: string | undefined;

  /**
   * @param earlier Those whose file is continued. Without them, the file must not exist.
   * @throws BadInput
   */
  constructor(path: string, run: RunRecord, earlier: EarlierRuns | undefined) {
    this.path = path;
    try {
      this.#fd = openSync(path, earlier === undefined ? 'ax' : 'a');
      if (earlier !== undefined) ftruncateSync(this.#fd, earlier.length);
    } catch (error) {
      const advice = (error as NodeJS.ErrnoException).code === 'EEXIST' ? ' Continue it with --resume.' : '';
      throw new BadInput(`The results file ${path} can't be written: ${reasonOf(error)}.${advice}`);
    }
    if (!this.append(run)) throw new BadInput(`${this.failure} Nothing was sent.`);
  }

  /** @returns whether it was written */
  append(record: RunRecord | BegunRecord | ResultRecord): boolean {
    if (this.failure !== undefined) return false;
    const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
    try {
      for (let written = 0; written < bytes.byteLength;) written += writeSync(this.#fd, bytes, written);
      return true;
    } catch (error) {
      this.failure = `The results file ${this.path} can't be written: ${reasonOf(error)}.`;
      return false;
    }
  }

  /** Writes the file to disk, if it is on one. */
  close(): void {
    try {
      if (fstatSync(this.#fd).isFile()) fsyncSync(this.#fd);
    } catch (error) {
      this.failure ??= `The results file ${this.path} can't be written: ${reasonOf(error)}.`;
    } finally {
      closeSync(this.#fd);
    }
  }
}
