import { createHash } from 'node:crypto';
import type { PlantStoreError } from '@plant-store/sdk';
import { BadInput, type CommandContext, exitCodeOf, printJson, type Result, say } from '../context.js';
import { findInput, type Input } from '../input.js';
import { describeFailure, type FailureRecord, failureRecord, resultOf } from '../send/failures.js';
import { checkSend, encode, type Sendable, type SendValues } from '../send/send-values.js';
import { prepareSender } from '../send/prepare-sender.js';
import { eventIdOf, isBlank, type Line, LineFault, readLines } from './lines.js';
import { type LineRecord, ResultsFile, type RunRecord } from './results-file.js';

/** How many failures are shown. The results file has all of them. */
const MAX_SHOWN = 10;

/** `plant-store send FILE|- --ndjson`: sends each line as one plant. */
export async function sendLines(file: string, values: SendValues, context: CommandContext): Promise<number> {
  const faults = checkSend(values, context);
  const prepared = await prepareSender<SentLine>(values, context, encode(values, context), faults);
  const { settings, sender } = prepared;
  const { secondSignal, signal } = context;
  const abort = (): void => void sender.close({ force: true });
  try {
    const input = await findInput(file, context);
    if (values.resume && input.size() === undefined)
      throw new BadInput(`${input.name} can't be read again. --resume needs a regular file.`);
    const { url } = settings.target;
    const describe = async (earlier?: number | null): Promise<RunRecord> => {
      const bytes = earlier ?? input.size();
      if (bytes === undefined) return { sha256: null, bytes: null, url };
      const hash = createHash('sha256');
      for await (const chunk of input.read(bytes)) hash.update(chunk);
      return { sha256: hash.digest('hex'), bytes, url };
    };
    const results = await ResultsFile.open(values.results!, values.resume === true, describe);
    const run = new Run(input, results, values, context);
    signal.addEventListener('abort', () => run.tellInterrupt());
    secondSignal.addEventListener('abort', abort);
    const stopReports = reportProgress(run, context);
    try {
      const optionsOf = ({ eventId }: SentLine): object => ({ eventId, event: {} });
      for await (const { plant, response, error } of sender.sendAll(run.plants(), { optionsOf }))
        run.note(plant, response?.status, error);
    } catch (error) {
      // Every line in flight has its result.
      if (!secondSignal.aborted) throw error;
    } finally {
      stopReports();
      run.close();
    }
    return report(run, values, context);
  } finally {
    secondSignal.removeEventListener('abort', abort);
    await prepared.close();
  }
}

/** A line that is sent. */
interface SentLine extends Sendable {
  readonly line: number;
  readonly eventId: string | undefined;
}

/** One run over the lines of a file: which are sent, and what is recorded. */
class Run {
  readonly counts: Record<Result, number> = {
    acknowledged: 0,
    notAcknowledged: 0,
    badInput: 0,
    notSent: 0,
    unknown: 0,
  };
  /** Those among the acknowledged that an earlier run has sent. */
  acknowledgedBefore = 0;
  /** Acknowledged lines that the results file doesn't have. */
  notRecorded = 0;
  /** Whether the input was read to its end. */
  isComplete = false;
  #inFlight = 0;
  #shown = 0;

  constructor(
    private readonly input: Input,
    private readonly results: ResultsFile,
    private readonly values: SendValues,
    private readonly context: CommandContext,
  ) {}

  /** Whether the input has more now than what is sent. */
  get hasGrown(): boolean {
    return (this.input.size() ?? 0) > (this.results.run.bytes ?? Infinity);
  }

  /** Lines that have a result. */
  get lines(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** The lines to send. Those that aren't sent have their results when this passes them. */
  async *plants(): AsyncGenerator<SentLine> {
    const { signal } = this.context;
    try {
      for await (const line of readLines(this.#read())) {
        if (this.results.failure !== undefined || signal.aborted) return;
        const plant = isBlank(line) ? undefined : this.#choose(line);
        if (plant === undefined) continue;
        if (!this.#record({ line: line.number, outcome: 'begun' })) return;
        this.#inFlight += 1;
        yield plant;
      }
      this.isComplete = true;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof BadInput)) throw error;
      say(`${error.message} No further line is sent.`, this.context);
    }
  }

  /** Reads what was digested. @throws BadInput if it isn't that any more */
  async *#read(): AsyncGenerator<Buffer> {
    const { name, read } = this.input;
    const { bytes, sha256 } = this.results.run;
    const hash = createHash('sha256');
    for await (const chunk of read(bytes ?? undefined)) {
      hash.update(chunk);
      yield chunk;
    }
    if (sha256 !== null && hash.digest('hex') !== sha256)
      throw new BadInput(`${name} was changed while it was sent.`);
  }

  /** The line as it is sent; `undefined` if it isn't. */
  #choose(line: Line): SentLine | undefined {
    const { number, content } = line;
    if (this.results.isAcknowledged(number)) {
      this.counts.acknowledged += 1;
      this.acknowledgedBefore += 1;
      return undefined;
    }
    if (this.results.isUnknown(number) && !this.values.resendUnknown) {
      this.#fail(number, 'unknown', earlierUnknown, earlierUnknown.message);
      return undefined;
    }
    try {
      return { line: number, content, eventId: eventIdOf(line, this.values.eventIdPointer) };
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      const { code, message } = error;
      this.#fail(number, 'badInput', { outcome: 'not-sent', code, message }, `bad input: ${message}`);
      return undefined;
    }
  }

  /** Notes the result of a line that was sent. */
  note({ line }: SentLine, status: number | undefined, error: PlantStoreError | undefined): void {
    this.#inFlight -= 1;
    if (error !== undefined) {
      this.#fail(line, resultOf(error), failureRecord(error), describeFailure(error));
      return;
    }
    this.counts.acknowledged += 1;
    const record = { line, outcome: 'acknowledged', ...(status !== undefined && { status }) } as const;
    if (!this.#record(record)) this.notRecorded += 1;
  }

  /** Ends the run: nothing is in flight. */
  close(): void {
    if (this.results.close()) return;
    say(this.results.failure!, this.context);
    this.notRecorded = this.counts.acknowledged - this.acknowledgedBefore;
  }

  #fail(line: number, result: Result, failure: FailureRecord, text: string): void {
    const mayHaveArrived = result !== 'unknown' && this.results.isUnknown(line);
    const earlier = mayHaveArrived ? ' An earlier delivery may have been accepted.' : '';
    this.counts[mayHaveArrived ? 'unknown' : result] += 1;
    this.#shown += 1;
    if (this.#shown <= MAX_SHOWN) say(`line ${line}: ${text}${earlier}`, this.context);
    if (this.#shown === MAX_SHOWN + 1) say(`further failures are in ${this.results.path}.`, this.context);
    this.#record({ line, ...failure, ...(mayHaveArrived && { outcome: 'unknown' }) });
  }

  /** @returns whether it was written */
  #record(record: LineRecord): boolean {
    const failedBefore = this.results.failure !== undefined;
    if (this.results.append(record)) return true;
    const advice = 'No further line is sent. With --resume, the lines whose result it lacks are unknown.';
    if (!failedBefore) say(`${this.results.failure} ${advice}`, this.context);
    if (record.outcome !== 'begun') say(`not recorded: ${JSON.stringify(record)}`, this.context);
    return false;
  }

  /** Says what happens after an interrupt. */
  tellInterrupt(): void {
    say(
      `interrupted: no further line is sent. Waiting for ${this.#inFlight} in flight; interrupt again, a second later, to stop at once.`,
      this.context,
    );
  }
}

const earlierUnknown = {
  outcome: 'unknown',
  code: 'EARLIER_OUTCOME_UNKNOWN',
  message: 'An earlier run may have sent this line, and its result is not known. Not sent again.',
} as const;

/** Says every 10 s how far a run has come. @returns what stops it */
function reportProgress(run: Run, context: CommandContext): () => void {
  const timer = setInterval(() => say(summaryOf(run), context), 10_000);
  return () => clearInterval(timer);
}

const resultNames: readonly (readonly [Result, string])[] = [
  ['notAcknowledged', 'not acknowledged'],
  ['badInput', 'bad input'],
  ['notSent', 'not sent'],
  ['unknown', 'unknown'],
];

/** The counts, such as `1,000 lines: 990 acknowledged (400 before), 10 unknown`. */
function summaryOf({ counts, lines, acknowledgedBefore, notRecorded }: Run): string {
  const number = (count: number): string => count.toLocaleString('en-US');
  const before = acknowledgedBefore === 0 ? '' : ` (${number(acknowledgedBefore)} before)`;
  const failed = resultNames.filter(([result]) => counts[result] > 0);
  const failures = failed.map(([result, name]) => `, ${number(counts[result])} ${name}`);
  if (notRecorded > 0) failures.push(`, ${number(notRecorded)} not recorded`);
  return `${number(lines)} lines: ${number(counts.acknowledged)} acknowledged${before}${failures.join('')}`;
}

/** Prints the counts and what to do next. The exit code is that of the worst line. */
function report(run: Run, { output }: SendValues, context: CommandContext): number {
  const { counts, hasGrown, isComplete, lines, acknowledgedBefore, notRecorded } = run;
  const exitCode = exitCodeOf({
    ...counts,
    unknown: counts.unknown + notRecorded,
    notSent: counts.notSent + Number(!isComplete),
    badInput: counts.badInput + Number(lines === 0),
  });
  const known = { exitCode, complete: isComplete, lines, ...counts, acknowledgedBefore, notRecorded };
  if (output === 'json') printJson(known, context);
  else context.stdout.write(`${summaryOf(run)}\n`);
  if (hasGrown) say('the input has grown since it was first opened. What was added was not sent.', context);
  if (lines === 0 && isComplete) say('there is no line with a plant. Nothing was sent.', context);
  if (notRecorded > 0)
    say(`${notRecorded} acknowledged lines were not recorded. With --resume, they are unknown.`, context);
  if (!isComplete || counts.notSent + counts.notAcknowledged > 0)
    say('to send what is not acknowledged, run the same command with --resume.', context);
  if (counts.unknown + notRecorded > 0)
    say('to send unknown lines too, add --resume --resend-unknown. They may be delivered twice.', context);
  return exitCode;
}
