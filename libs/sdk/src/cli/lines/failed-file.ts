import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FailureRecord } from '../send/describe-failure.js';
import { WriteError } from '../command-line/write-error.js';
import { AppendFile } from './append-file.js';

const what = 'The file of --failed';

/** What is wrong with the file of `--failed`. It is never overwritten, because it may be all that tells of failures. */
export function failedFileFaults(path: string, progress: string | undefined): string[] {
  if (progress !== undefined && resolve(path) === resolve(progress)) {
    return [`The file ${path} of --failed is the progress file. Name another file.`];
  }
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    // A write waits for the reader of a pipe. Nothing else would happen meanwhile: no response, and no interrupt.
    if (stats.isFIFO() || stats.isSocket()) {
      return [`The file ${path} of --failed is a pipe or a socket. Name a regular file.`];
    }
    if (!stats.isFile() || stats.size === 0) return [];
    return [`The file ${path} of --failed has content already. Name a new file.`];
  } catch (cause) {
    return [`${new WriteError(`${what} ${path}`, cause).message} Nothing was sent.`];
  }
}

/** @throws WriteError */
export function openFailedFile(path: string): AppendFile {
  return new AppendFile(what, path, 'a');
}

/** The entry of a line that was not acknowledged: JSON on one line. The line itself is in it unchanged. */
export function formatEntry(line: number, failure: FailureRecord, content: Buffer): string {
  const fields = JSON.stringify({ line, ...failure }).slice(0, -1);
  if (content.byteLength === 0) return `${fields}}`;
  const text = content.toString();
  return failure.code === 'LINE_NOT_JSON'
    ? `${fields},"text":${JSON.stringify(text)}}`
    : `${fields},"plant":${text}}`;
}
