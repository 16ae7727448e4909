import { createHash } from 'node:crypto';
import type { BulkResult } from '../../delivery/send-all.js';
import type { Outcome } from '../../errors/plant-store-error.js';
import { BadInput } from '../command-line/bad-input.js';
import { type Result, resultOf } from '../command-line/exit-codes.js';
import { WriteError } from '../command-line/write-error.js';
import { type Line, readLines } from '../input/lines.js';
import { describeFailure, type FailureRecord, failureRecord } from '../send/describe-failure.js';
import type { Prepared, Sendable } from '../send/prepare.js';
import type { AppendFile } from './append-file.js';
import type { Display } from './display.js';
import { formatEntry } from './failed-file.js';
import { checkLine, isBlank } from './plant-line.js';
import { fingerprintOf } from './progress-record.js';
import type { RunFiles } from './run-files.js';
import type { Tally } from './tally.js';

/** A line that is sent. */
export interface SentLine extends Sendable {
  readonly line: Line;
  readonly eventId: string | undefined;
  /** Whether an earlier delivery of the line may have been accepted. */
  readonly wasUnknown: boolean;
}

/** One run over the lines of a file: which are sent, and where their results go. */
export class Run {
  readonly #files: RunFiles;
  readonly #prepared: Pick<Prepared<unknown>, 'secrets' | 'eventIdPointer'>;
  readonly #resendsUnknown: boolean;
  readonly #tally: Tally;
  readonly #display: Display;
  readonly #signal: AbortSignal;
  /** Where failed lines go. `undefined` without `--failed`, or once it can't be written. */
  #failed: AppendFile | undefined;
  #inFlight = 0;
  /** Whether a file can't be read or written, so that no further line is sent. */
  #isBroken = false;

  /** @param signal Once it is aborted, no further line is sent. */
  constructor(
    files: RunFiles,
    prepared: Pick<Prepared<unknown>, 'secrets' | 'eventIdPointer'>,
    resendsUnknown: boolean,
    tally: Tally,
    display: Display,
    signal: AbortSignal,
  ) {
    this.#files = files;
    this.#prepared = prepared;
    this.#resendsUnknown = resendsUnknown;
    this.#tally = tally;
    this.#display = display;
    this.#signal = signal;
    this.#failed = files.failed;
  }

  /** The lines to send, each recorded as started. Lines that aren't sent have their results when this passes them. */
  async *plants(): AsyncGenerator<SentLine> {
    const { input, progress } = this.#files;
    const hash = createHash('sha256');
    try {
      for await (const line of readLines(input.read(), hash)) {
        if (this.#isBroken || this.#signal.aborted) return;
        this.#display.update(line.end);
        const plant = this.#choose(line);
        if (plant === undefined) continue;
        progress?.start(line.number, fingerprintOf(hash));
        this.#inFlight += 1;
        yield plant;
      }
      this.#tally.isComplete = true;
    } catch (error) {
      if (this.#signal.aborted) return;
      if (!(error instanceof BadInput || error instanceof WriteError)) throw error;
      this.#break(error.message);
    }
  }

  /** The line as it is sent; `undefined` if it isn't. */
  #choose(line: Line): SentLine | undefined {
    if (isBlank(line)) return undefined;
    const { number, content } = line;
    const { earlier } = this.#files;
    if (earlier.isAcknowledged(number)) {
      this.#tally.counts.acknowledged += 1;
      this.#tally.acknowledgedBefore += 1;
      return undefined;
    }
    const { eventId, fault } = checkLine(line, this.#prepared.eventIdPointer);
    if (fault !== undefined) {
      this.#fail(
        line,
        'badInput',
        { outcome: 'not-sent', ...fault },
        `bad input: ${fault.message} Not sent.`,
      );
      return undefined;
    }
    const wasUnknown = earlier.isUnknown(number);
    if (wasUnknown && !this.#resendsUnknown) {
      this.#fail(line, 'unknown', earlierUnknown, `outcome unknown: ${earlierUnknown.message}`);
      return undefined;
    }
    return { line, content, eventId, wasUnknown };
  }

  /** Notes the result of a line that was sent. */
  note({ plant: { line, wasUnknown }, error }: BulkResult<SentLine, unknown>): void {
    this.#inFlight -= 1;
    if (error === undefined) {
      this.#tally.counts.acknowledged += 1;
      this.#record(line.number, 'acknowledged');
      return;
    }
    const text = describeFailure(error, this.#prepared.secrets);
    const record = failureRecord(error);
    if (wasUnknown) {
      const both = `${text} An earlier delivery may have been accepted.`;
      this.#fail(line, 'unknown', { ...record, outcome: 'unknown' }, both);
    } else {
      this.#fail(line, resultOf(error), record, text);
    }
    // The records of earlier deliveries still say that the line was unknown.
    this.#record(line.number, error.outcome);
  }

  #record(line: number, event: 'acknowledged' | Outcome): void {
    const { progress } = this.#files;
    const failure = progress?.end(line, event);
    if (failure !== undefined && !this.#isBroken) this.#break(failure.message);
  }

  #fail(line: Line, result: Result, failure: FailureRecord, text: string): void {
    this.#tally.counts[result] += 1;
    if (this.#files.failed === undefined) return this.#display.print(`line ${line.number}: ${text}`);
    const entry = formatEntry(line.number, failure, line.content);
    try {
      if (this.#failed !== undefined) return this.#failed.append(entry);
    } catch (error) {
      this.#failed = undefined;
      this.#break(`${(error as Error).message} Its entries follow here.`);
    }
    this.#display.print(entry);
  }

  #break(reason: string): void {
    this.#isBroken = true;
    this.#display.print(`${reason} No further line is sent.`);
  }

  /** Says what happens after an interrupt. */
  tellInterrupt(): void {
    this.#display.print(
      `interrupted: no further line is sent. Waiting for ${this.#inFlight} in flight; interrupt again to stop at once.`,
    );
  }

  /** The progress file, if there is something left to do with it. */
  get remainingProgress(): string | undefined {
    const isDone = this.#tally.isComplete && this.#tally.failed === 0;
    return isDone ? undefined : this.#files.progress?.path;
  }

  /** Closes the files. Removes the progress file if every line is acknowledged. */
  close(): void {
    const { progress, failed } = this.#files;
    try {
      if (progress !== undefined && this.remainingProgress === undefined) progress.remove();
      else progress?.close();
      failed?.close();
    } catch (error) {
      this.#display.print((error as Error).message);
    }
  }

  /** What the user can do about lines that are not acknowledged. */
  advice(): string[] {
    const { counts, isComplete, lines } = this.#tally;
    const { input, progress, failed } = this.#files;
    if (isComplete && lines === 0) return [`${input.name} has no line with a plant. Nothing was sent.`];
    if (progress === undefined) {
      return isComplete ? [] : [`${input.name} was not read to its end. It can't be resumed.`];
    }
    if (this.remainingProgress === undefined) return [];
    const { notRecorded, path } = progress;
    const canContinue = !isComplete || counts.notSent > 0 || counts.notAcknowledged > 0;
    const more = failed === undefined ? '' : ', and name another file with --failed';
    return [
      ...(notRecorded.length === 0
        ? []
        : [`${path} lacks the results of these lines: ${notRecorded.join(', ')}. For it they are unknown.`]),
      ...(canContinue
        ? [`To send what is not acknowledged, run the same command with --resume${more}.`]
        : []),
      ...(counts.unknown + notRecorded.length === 0
        ? []
        : [`To send unknown lines too, add --resume --resend-unknown${more}. They may be delivered twice.`]),
    ];
  }
}

const earlierUnknown: FailureRecord = Object.freeze({
  outcome: 'unknown',
  code: 'EARLIER_OUTCOME_UNKNOWN',
  message: 'An earlier run sent this line, and its result is not known.',
});
