import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { platform } from 'node:os';
import type { Outcome } from '@plant-store/sdk';
import { systemReason } from '@plant-store/sdk/internal';
import { BadInput } from '../context.js';
import { readLines } from './lines.js';

/** The first record of each run: what is sent, and where. */
export interface RunRecord {
  /** Digest of the input in hexadecimal, and how many bytes it has; null if it can't be read again. */
  readonly sha256: string | null;
  readonly bytes: number | null;
  readonly url: string;
}

const lineOutcomes = ['begun', 'acknowledged', 'unknown', 'responded', 'not-sent'] as const;

/** What is known of a line. The last record of a line counts. */
export interface LineRecord {
  /** Counted from 1. */
  readonly line: number;
  /** `begun` is written before the line is sent. If nothing follows, nobody knows whether it arrived. */
  readonly outcome: 'begun' | 'acknowledged' | Outcome;
  readonly status?: number;
  readonly code?: string;
  /** What happened, for people. */
  readonly message?: string;
}

/** The outcomes of earlier runs, by the number of the line. */
type LineOutcomes = LineRecord['outcome'][];

/** The results of a file's lines, one JSON object a line. A record that was appended survives the end of the process. */
export class ResultsFile {
  /** Why a record can't be written. Then no further one is. */
  failure: string | undefined;

  private constructor(
    readonly path: string,
    readonly run: RunRecord,
    private readonly fd: number,
    private readonly lock: Server | undefined,
    private readonly earlier: LineOutcomes,
  ) {}

  /**
   * Opens the file for a run.
   *
   * @param isResumed Whether it continues earlier runs with the same input and address. Otherwise it must not exist.
   * @param describe Reads the input: of a run that is continued, as many bytes as that one.
   * @throws BadInput
   */
  static async open(
    path: string,
    isResumed: boolean,
    describe: (bytes?: number | null) => Promise<RunRecord>,
  ): Promise<ResultsFile> {
    const first = isResumed ? undefined : await describe();
    const flags = constants.O_WRONLY | constants.O_APPEND;
    let fd: number | undefined;
    let lock: Server | undefined;
    try {
      fd = openSync(path, isResumed ? flags : flags | constants.O_CREAT | constants.O_EXCL, 0o666);
      lock = await lockFile(fd, path);
      const earlier = isResumed ? await readEarlier(path) : undefined;
      const run = first ?? (await describe(earlier!.run.bytes));
      if (earlier && run.url !== earlier.run.url)
        throw new BadInput(
          `${path} is about deliveries to ${earlier.run.url}, and this command sends to ${run.url}. Name another --results file. Nothing was sent.`,
        );
      if (earlier && run.sha256 !== earlier.run.sha256)
        throw new BadInput(
          'The input has changed since it was sent. Put it back as it was, or send the lines that are missing as another file. Nothing was sent.',
        );
      ftruncateSync(fd, earlier?.length ?? 0);
      const file = new ResultsFile(path, run, fd, lock, earlier?.outcomes ?? []);
      if (!file.append(run)) throw new BadInput(`${file.failure} Nothing was sent.`);
      return file;
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      lock?.close();
      if ((error as NodeJS.ErrnoException).errno === undefined) throw error;
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new BadInput(
          `The results file ${path} exists already. Continue it with --resume, or name a new file.`,
        );
      throw new BadInput(`The results file ${path} can't be used: ${systemReason(error)}.`);
    }
  }

  isAcknowledged(line: number): boolean {
    return this.earlier[line] === 'acknowledged';
  }

  /** Whether an earlier run has begun to send the line, and the receiver may have accepted it. */
  isUnknown(line: number): boolean {
    return this.earlier[line] === 'begun' || this.earlier[line] === 'unknown';
  }

  /** @returns whether it was written */
  append(record: RunRecord | LineRecord): boolean {
    if (this.failure !== undefined) return false;
    const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
    try {
      for (let written = 0; written < bytes.byteLength;) written += writeSync(this.fd, bytes, written);
      return true;
    } catch (error) {
      this.failure = `The results file ${this.path} can't be written: ${systemReason(error)}.`;
      return false;
    }
  }

  /** Writes the file to disk. @returns whether that is known of every record that was appended */
  close(): boolean {
    try {
      fsyncSync(this.fd);
      closeSync(this.fd);
      return true;
    } catch (error) {
      this.failure ??= `The results file ${this.path} can't be written: ${systemReason(error)}.`;
      return false;
    } finally {
      this.lock?.close();
    }
  }
}

/**
 * Locks a file against other commands on this machine: by an abstract socket, which the kernel closes with the process.
 * Only Linux has them.
 *
 * @throws BadInput if another command has the lock
 */
async function lockFile(fd: number, path: string): Promise<Server | undefined> {
  if (platform() !== 'linux') return undefined;
  const { dev, ino } = fstatSync(fd);
  const server = createServer().unref();
  server.listen(`\0plant-store-results-${dev}-${ino}`);
  try {
    await once(server, 'listening');
  } catch {
    throw new BadInput(`Another command writes to the results file ${path}. Wait for it, or end it.`);
  }
  return server;
}

/** Reads the last of the earlier runs, and the results of all. `length` ends with the last whole record. @throws BadInput */
async function readEarlier(path: string) {
  let run: RunRecord | undefined;
  const outcomes: LineOutcomes = [];
  let length = 0;
  for await (const { content, number, end } of readLines(createReadStream(path))) {
    // The end of the last record is missing if the process was killed while it wrote.
    if (end === length + content.byteLength) break;
    const record = parse(content);
    const outcome = lineOutcomes.find((each) => each === record?.outcome);
    if (record?.url !== undefined) run = record as RunRecord;
    else if (number === 1) throw new BadInput(`${path} is not a results file of plant-store.`);
    else if (outcome !== undefined && record!.line! > 0) outcomes[record!.line!] = outcome;
    else throw new BadInput(`${path} is damaged at its line ${number}. Nothing was sent.`);
    length = end;
  }
  if (run !== undefined) return { run, outcomes, length };
  throw new BadInput(`${path} has no results. Delete it, and run the command without --resume.`);
}

function parse(content: Buffer): Partial<RunRecord & LineRecord> | undefined {
  try {
    return JSON.parse(content.toString()) as Partial<RunRecord & LineRecord>;
  } catch {
    return undefined;
  }
}
