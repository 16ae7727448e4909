import { createReadStream } from 'node:fs';
import { BadInput } from '../command-line/bad-input.js';
import { readChunks } from '../input/input-file.js';
import { type Line, readLines } from '../input/lines.js';
import { parseHeader, parseRecord, type ProgressHeader, type ProgressRecord } from './progress-record.js';

/** What is known of one line: bits. */
const acknowledged = 1;
/** It was started, and no result has been recorded since. */
const open = 2;
/** The result of a delivery was unknown, or was not recorded. */
const unknown = 4;

/** What the progress file says about earlier runs. It takes one byte of memory for each line. */
export class EarlierRuns {
  readonly header: ProgressHeader;
  /** The last line that was started, and the fingerprint of the file up to its end. */
  lastStarted: { readonly line: number; readonly fingerprint: string } | undefined;
  /** Length of the progress file up to its last whole line. What follows was not written whole. */
  length = 0;
  #states = new Uint8Array(1_024);

  constructor(header: ProgressHeader) {
    this.header = header;
  }

  /** Whether a delivery of the line was acknowledged. */
  isAcknowledged(line: number): boolean {
    return (this.#stateOf(line) & acknowledged) !== 0;
  }

  /** Whether the receiver may have accepted the line, without an acknowledgement that is recorded. */
  isUnknown(line: number): boolean {
    const state = this.#stateOf(line);
    return (state & acknowledged) === 0 && (state & (open | unknown)) !== 0;
  }

  /** Adds a record. Records are in the order in which they were written. */
  add({ line, event, fingerprint }: ProgressRecord): void {
    const state = this.#stateOf(line);
    if (event === 'started') {
      this.#set(line, ((state & open) === 0 ? state : state | unknown) | open);
      if (line > (this.lastStarted?.line ?? 0)) this.lastStarted = { line, fingerprint: fingerprint! };
      return;
    }
    const closed = state & ~open;
    if (event === 'acknowledged') this.#set(line, closed | acknowledged);
    else this.#set(line, event === 'unknown' ? closed | unknown : closed);
  }

  #stateOf(line: number): number {
    return this.#states[line] ?? 0;
  }

  #set(line: number, state: number): void {
    if (line >= this.#states.length) {
      const larger = new Uint8Array(Math.max(line + 1, this.#states.length * 2));
      larger.set(this.#states);
      this.#states = larger;
    }
    this.#states[line] = state;
  }
}

/**
 * Reads a progress file.
 *
 * @throws BadInput if it can't be read, or isn't a progress file.
 */
export async function readEarlierRuns(path: string, signal: AbortSignal): Promise<EarlierRuns> {
  const name = `The progress file ${path}`;
  const invalid = (line: number): BadInput =>
    new BadInput(`${name} is damaged at its line ${line}. Nothing was sent.`);
  let runs: EarlierRuns | undefined;
  for await (const line of readLines(readChunks(name, createReadStream(path), signal))) {
    const text = wholeText(line, runs?.length ?? 0);
    if (text === undefined) break;
    if (runs === undefined) {
      const header = parseHeader(text);
      if (header === undefined)
        throw new BadInput(`${path} is not a progress file of plant-store. Name one.`);
      runs = new EarlierRuns(header);
    } else {
      const record = parseRecord(text);
      // A file has no more lines than bytes.
      if (record === undefined || record.line > runs.header.bytes) throw invalid(line.number);
      runs.add(record);
    }
    runs.length = line.end;
  }
  if (runs !== undefined) return runs;
  throw new BadInput(`${name} is empty: nothing was sent. Delete it, and run the command without --resume.`);
}

/** The text of a line; `undefined` if its end was not written any more, when the process was killed. */
function wholeText({ content, end }: Line, start: number): string | undefined {
  return end - start > content.byteLength ? content.toString() : undefined;
}
