import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { BadInput } from '../command-line/bad-input.js';
import type { CommandContext } from '../command-line/command.js';
import { WriteError } from '../command-line/write-error.js';
import { findInput, type Input } from '../input/input-file.js';
import { readLines } from '../input/lines.js';
import type { SendArguments } from '../send/prepare.js';
import type { AppendFile } from './append-file.js';
import { EarlierRuns, readEarlierRuns } from './earlier-runs.js';
import { failedFileFaults, openFailedFile } from './failed-file.js';
import { ProgressFile } from './progress-file.js';
import { fingerprintOf } from './progress-record.js';

/** The files of a run. None of them is opened yet. */
export interface FoundFiles {
  readonly input: Input;
  /** Where the progress is recorded; `undefined` if the input can't be read again. */
  readonly progress: string | undefined;
  /** Whether the run continues earlier ones. */
  readonly isResumed: boolean;
  readonly failed: string | undefined;
}

/**
 * Finds the files of a run.
 *
 * @throws BadInput with every fault.
 */
export async function findFiles(
  operand: string,
  { values }: SendArguments,
  context: CommandContext,
): Promise<FoundFiles> {
  const input = await findInput(operand, context);
  const { failed } = values;
  const isResumed = values.resume !== undefined;
  const isRegular = input.bytes !== undefined;
  const progress = isRegular ? (values.progress ?? `${operand}.progress`) : undefined;
  const faults = [
    ...(progress === undefined ? pipeFaults(input, values) : progressFaults(progress, isResumed)),
    ...(failed === undefined ? [] : failedFileFaults(failed, progress)),
  ];
  if (faults.length > 0) throw new BadInput(...faults);
  return { input, progress, isResumed, failed };
}

function pipeFaults({ name }: Input, { progress, resume }: SendArguments['values']): string[] {
  if (progress === undefined && resume === undefined) return [];
  return [`${name} can't be read again. --progress and --resume need a regular file.`];
}

function progressFaults(progress: string, isResumed: boolean): string[] {
  let exists = true;
  try {
    statSync(progress);
  } catch (cause) {
    // Otherwise it may exist, so the user must not be told to send every line.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      return [`${new WriteError(`The progress file ${progress}`, cause).message} Nothing was sent.`];
    exists = false;
  }
  if (exists === isResumed) return [];
  return [
    isResumed
      ? `There is no progress file ${progress}. Run the command without --resume to send every line.`
      : `${progress} exists already. If it is the progress file of an earlier run, continue that with --resume. To ` +
        'send every line again, name another file with --progress.',
  ];
}

/** The open files of a run. */
export interface RunFiles {
  readonly input: Input;
  readonly earlier: EarlierRuns;
  /** `undefined` if the input can't be read again. */
  readonly progress: ProgressFile | undefined;
  /** `undefined` without `--failed`. */
  readonly failed: AppendFile | undefined;
}

/**
 * Opens the files of a run.
 *
 * @param url Where the lines are sent.
 * @throws BadInput if one can't be opened, or if the progress file belongs to another run.
 */
export async function openFiles(found: FoundFiles, url: string, signal: AbortSignal): Promise<RunFiles> {
  const { input } = found;
  const header = { bytes: input.bytes ?? 0, url };
  let earlier = new EarlierRuns(header);
  if (found.isResumed) {
    earlier = await readEarlierRuns(found.progress!, signal);
    await refuseOtherRun(found.progress!, earlier, input, url);
  }
  try {
    const failed = found.failed === undefined ? undefined : openFailedFile(found.failed);
    if (found.progress === undefined) return { input, earlier, progress: undefined, failed };
    const progress = found.isResumed
      ? ProgressFile.continue(found.progress, earlier)
      : ProgressFile.begin(found.progress, header);
    return { input, earlier, progress, failed };
  } catch (error) {
    throw error instanceof WriteError ? new BadInput(`${error.message} Nothing was sent.`) : error;
  }
}

/** Checks that a progress file belongs to this input and address. Otherwise lines would be skipped or sent twice. */
async function refuseOtherRun(path: string, earlier: EarlierRuns, input: Input, url: string): Promise<void> {
  const { header, lastStarted } = earlier;
  if (header.url !== url) {
    throw new BadInput(
      `The progress file ${path} is about deliveries to ${header.url}, and this command sends to ${url}. Use the ` +
        'same address, or delete the file to send every line.',
    );
  }
  const changed = (how: string): BadInput =>
    new BadInput(
      `${input.name} has changed since it was sent: ${how}. Put it back as it was, or send the lines that are ` +
        'missing as another file. Nothing was sent.',
    );
  if (header.bytes !== input.bytes) throw changed(`it had ${header.bytes} bytes, and has ${input.bytes} now`);
  if (lastStarted === undefined) return;
  const { line, fingerprint } = lastStarted;
  if ((await fingerprintOfLines(input, line)) !== fingerprint) {
    throw changed(`its first ${line} lines are not those of the earlier run`);
  }
}

async function fingerprintOfLines(input: Input, count: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  for await (const { number } of readLines(input.read(), hash)) {
    if (number === count) return fingerprintOf(hash);
  }
  return undefined;
}
