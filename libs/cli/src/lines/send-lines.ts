import { createHash, type Hash } from 'node:crypto';
import type { Outcome, PlantStoreError } from '@plant-store/sdk';
import { BadInput, type CommandContext, exitCodes, printJson, type Result, say } from '../context.js';
import { findInput, type Input } from '../input.js';
import { describeFailure, failureRecord, resultOf } from '../send/describe-failure.js';
import { checkSend, encode, type Sendable, type SendValues } from '../send/send-values.js';
import { prepareSender, type SecretSources } from '../send/sender-options.js';
import { type Line, readLines } from './lines.js';
import { checkLine, isBlank } from './plant-line.js';
import { changed, EarlierRuns, readEarlierRuns, ResultsFile, type ResultRecord } from './results-file.js';

/** How many lines further may be sent before the results file is told. A kill makes so many lines unknown. */
const BLOCK = 64;

/** How many failures are shown. The results file has all of them. */
const MAX_SHOWN = 10;

/** `plant-store send FILE|- --ndjson`: sends each line as one plant. */
export async function sendLines(file: string, values: SendValues, context: CommandContext): Promise<number> {
  const faults = checkSend(values, context);
  const prepared = await prepareSender<SentLine>(values, context, encode(values, context), faults);
  const { settings, sender, secrets } = prepared;
  const { secondSignal, signal } = context;
  const abort = (): void => void sender.close({ force: true });
  try {
    const input = await findInput(file, context);
    const run = await openRun(input, values, settings.target.url, context, secrets);
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
      run.end();
    }
    return report(run, values, context);
  } finally {
    secondSignal.removeEventListener('abort', abort);
    await prepared.close();
  }
}

async function openRun(
  input: Input,
  { results: path = '', resume, resendUnknown, eventIdPointer }: SendValues,
  url: string,
  context: CommandContext,
  secrets: SecretSources,
): Promise<Run> {
  const record = { input: input.bytes ?? null, url };
  if (resume && input.bytes === undefined)
    throw new BadInput(`${input.name} can't be read again. --resume needs a regular file.`);
  const earlier = resume ? await readEarlierRuns(path, record) : undefined;
  if (earlier !== undefined) await checkInput(input, earlier);
  const results = new ResultsFile(path, record, earlier);
  const resends = resendUnknown === true;
  return new Run(input, results, earlier ?? new EarlierRuns(), { resends, eventIdPointer, secrets }, context);
}

/** @throws BadInput if the lines that were read before have changed */
async function checkInput(input: Input, { checkpoint }: EarlierRuns): Promise<void> {
  if (checkpoint === undefined) return;
  const hash = createHash('sha256');
  for await (const line of readLines(input.read())) {
    hash.update(line.content).update('\n');
    if (line.number < checkpoint.line) continue;
    if (digestOf(hash) === checkpoint.sha256) return;
    break;
  }
  throw changed(`its first ${checkpoint.line} lines are others`);
}

const digestOf = (hash: Hash): string => hash.copy().digest('hex').slice(0, 16);

/** A line that is sent. */
interface SentLine extends Sendable {
  readonly line: number;
  readonly eventId: string | undefined;
}

interface RunOptions {
  /** Whether lines are sent that may have been accepted before. */
  readonly resends: boolean;
  readonly eventIdPointer: string | undefined;
  readonly secrets: SecretSources;
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
  /** Whether the input was read to its end. */
  isComplete = false;
  readonly results: ResultsFile;
  readonly #input: Input;
  readonly #earlier: EarlierRuns;
  readonly #options: RunOptions;
  readonly #context: CommandContext;
  readonly #hash = createHash('sha256');
  #inFlight = 0;
  #lastRead = 0;
  #begun = 0;
  #shown = 0;

  constructor(
    input: Input,
    results: ResultsFile,
    earlier: EarlierRuns,
    options: RunOptions,
    context: CommandContext,
  ) {
    this.#input = input;
    this.results = results;
    this.#earlier = earlier;
    this.#options = options;
    this.#context = context;
  }

  /** Lines that have a result. */
  get lines(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** The lines to send. Those that aren't sent have their results when this passes them. */
  async *plants(): AsyncGenerator<SentLine> {
    const { signal } = this.#context;
    try {
      for await (const line of readLines(this.#input.read())) {
        if (this.results.failure !== undefined || signal.aborted) return;
        this.#lastRead = line.number;
        this.#hash.update(line.content).update('\n');
        const plant = this.#choose(line);
        if (plant === undefined) continue;
        if (line.number > this.#begun && !this.#begin(line.number + BLOCK - 1)) return;
        this.#inFlight += 1;
        yield plant;
      }
      this.isComplete = true;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof BadInput)) throw error;
      say(`${error.message} No further line is sent.`, this.#context);
    }
  }

  /** Records that the lines up to this one may be sent. @returns whether it was written */
  #begin(begun: number): boolean {
    this.#begun = begun;
    const isWritten = this.results.append({ begun, line: this.#lastRead, sha256: digestOf(this.#hash) });
    if (!isWritten) this.#tellFailure();
    return isWritten;
  }

  /** The line as it is sent; `undefined` if it isn't. */
  #choose(line: Line): SentLine | undefined {
    if (isBlank(line)) return undefined;
    const { number, content } = line;
    if (this.#earlier.isAcknowledged(number)) {
      this.counts.acknowledged += 1;
      this.acknowledgedBefore += 1;
      return undefined;
    }
    const { eventId, fault } = checkLine(line, this.#options.eventIdPointer);
    const isUnknown = this.#earlier.isUnknown(number);
    if (isUnknown && !this.#options.resends) {
      this.#fail('unknown', { line: number, ...earlierUnknown }, earlierUnknown.message);
      return undefined;
    }
    if (fault === undefined) return { line: number, content, eventId };
    this.#fail('badInput', { line: number, outcome: 'not-sent', ...fault }, `bad input: ${fault.message}`);
    return undefined;
  }

  /** Notes the result of a line that was sent. */
  note({ line }: SentLine, status: number | undefined, error: PlantStoreError | undefined): void {
    this.#inFlight -= 1;
    if (error === undefined) {
      this.counts.acknowledged += 1;
      this.#record({ line, outcome: 'acknowledged', ...(status !== undefined && { status }) });
      return;
    }
    const text = describeFailure(error, this.#options.secrets);
    const record = { line, ...failureRecord(error) };
    if (this.#earlier.isUnknown(line)) {
      const unknown: Outcome = 'unknown';
      this.#fail(
        'unknown',
        { ...record, outcome: unknown },
        `${text} An earlier delivery may have been accepted.`,
      );
    } else {
      this.#fail(resultOf(error), record, text);
    }
  }

  #fail(result: Result, record: ResultRecord, text: string): void {
    this.counts[result] += 1;
    this.#shown += 1;
    if (this.#shown <= MAX_SHOWN) say(`line ${record.line}: ${text}`, this.#context);
    if (this.#shown === MAX_SHOWN + 1) say(`further failures are in ${this.results.path}.`, this.#context);
    this.#record(record);
  }

  #record(record: ResultRecord): void {
    const isFirstFailure = this.results.failure === undefined;
    if (this.results.append(record)) return;
    if (isFirstFailure) this.#tellFailure();
    say(`not recorded: ${JSON.stringify(record)}`, this.#context);
  }

  #tellFailure(): void {
    const advice = 'No further line is sent. With --resume, the lines whose result it lacks are unknown.';
    say(`${this.results.failure} ${advice}`, this.#context);
  }

  /** Says what happens after an interrupt. */
  tellInterrupt(): void {
    say(
      `interrupted: no further line is sent. Waiting for ${this.#inFlight} in flight; interrupt again to stop at once.`,
      this.#context,
    );
  }

  /** Records how far the run came: what follows was not sent. Closes the file. */
  end(): void {
    if (this.results.failure === undefined && this.#inFlight === 0) this.#begin(this.#lastRead);
    this.results.close();
  }
}

const earlierUnknown = {
  outcome: 'unknown',
  code: 'EARLIER_OUTCOME_UNKNOWN',
  message: 'An earlier run may have sent this line, and its result is not known. Not sent again.',
} as const;

/** Says from time to time how far a run has come: in one place on a terminal. @returns what stops it */
function reportProgress(run: Run, { stderr }: CommandContext): () => void {
  const isTerminal = stderr.isTTY === true;
  const report = (): void => {
    stderr.write(isTerminal ? `\x1b[K${summaryOf(run)}\r` : `plant-store: ${summaryOf(run)}\n`);
  };
  const timer = setInterval(report, isTerminal ? 1_000 : 10_000);
  return () => {
    clearInterval(timer);
    if (isTerminal) stderr.write('\x1b[K');
  };
}

const resultNames = {
  acknowledged: 'acknowledged',
  notAcknowledged: 'not acknowledged',
  badInput: 'bad input',
  notSent: 'not sent',
  unknown: 'unknown',
} as const;

/** The counts, such as `1,000 lines: 990 acknowledged (400 before), 10 unknown`. */
function summaryOf({ counts, lines, acknowledgedBefore }: Run): string {
  const number = (count: number): string => count.toLocaleString('en-US');
  const before = acknowledgedBefore === 0 ? '' : ` (${number(acknowledgedBefore)} before)`;
  const parts = (Object.keys(resultNames) as Result[])
    .filter((result) => result === 'acknowledged' || counts[result] > 0)
    .map(
      (result) =>
        `${number(counts[result])} ${resultNames[result]}${result === 'acknowledged' ? before : ''}`,
    );
  return `${number(lines)} lines: ${parts.join(', ')}`;
}

/** Prints the counts and what to do next. The exit code is that of the worst line. */
function report(run: Run, { json }: SendValues, context: CommandContext): number {
  const { counts, isComplete, lines, acknowledgedBefore } = run;
  const exitCode = exitCodeOf(run);
  if (json) printJson({ exitCode, complete: isComplete, lines, ...counts, acknowledgedBefore }, context);
  else context.stdout.write(`${summaryOf(run)}\n`);
  if (lines === 0 && isComplete) say('there is no line with a plant. Nothing was sent.', context);
  if (!isComplete || counts.notSent + counts.notAcknowledged > 0)
    say('to send what is not acknowledged, run the same command with --resume.', context);
  if (counts.unknown > 0)
    say('to send unknown lines too, add --resume --resend-unknown. They may be delivered twice.', context);
  return exitCode;
}

function exitCodeOf({ counts, isComplete, lines, results }: Run): number {
  if (counts.unknown > 0) return exitCodes.unknown;
  if (counts.notAcknowledged > 0) return exitCodes.notAcknowledged;
  if (counts.badInput > 0 || (isComplete && lines === 0)) return exitCodes.badInput;
  const isWhole = isComplete && counts.notSent === 0 && results.failure === undefined;
  return isWhole ? exitCodes.acknowledged : exitCodes.notSent;
}
