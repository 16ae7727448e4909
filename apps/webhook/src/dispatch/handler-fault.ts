import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { UnknownDependenciesException } from '@nestjs/core/errors/exceptions/unknown-dependencies.exception.js';

import { ReceiverError } from '../errors.js';
import { errorText } from '../logging/describe-error.js';

/** Longest message of an error, in UTF-16 code units, and most errors in a chain of causes. */
const MAX_TEXT = 1_000;
const MAX_CAUSES = 4;

/** A place in the team's code. */
interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

interface Fault {
  readonly what: string;
  readonly advice: string;
  readonly place?: Place | undefined;
}

/**
 * Describes why the team's handler can't start: in one sentence, with what to do, and the line of its code.
 *
 * @param error what was thrown while its modules were loaded, or its providers created
 */
export function handlerFault(error: unknown): ReceiverError {
  if (error instanceof ReceiverError) return error;
  const { what, advice, place } =
    missingModule(error) ?? missingExport(error) ?? missingProvider(error) ?? anyFault(error);
  const message = `The handler cannot start: ${what}. ${advice}`;
  const lines = place === undefined ? [] : excerpt(place);
  return new ReceiverError('HANDLER_UNUSABLE', [message, ...lines].join('\n'), { cause: error });
}

function missingModule(error: unknown): Fault | undefined {
  const found = /^Cannot find (module|package) '(.+)' imported from (.+)$/.exec(messageOf(error));
  if (found === null) return undefined;
  const [, kind, target = '', importer = ''] = found;
  const isPackage = kind === 'package';
  const name = isPackage ? target : specifier(importer, target);
  return {
    what: `it imports the ${kind} "${name}", which is not there`,
    advice: isPackage ? 'Install it, or correct the import.' : 'Add the file, or correct the import.',
    place: placeOfImport(importer, name),
  };
}

function missingExport(error: unknown): Fault | undefined {
  const found = /^The requested module '(.+)' does not provide an export named '(.+)'$/.exec(
    messageOf(error),
  );
  if (found === null) return undefined;
  const [, module = '', name] = found;
  // The stack begins with the file that imports it.
  const [, importer] = /^(.+):\d+\n/.exec((error as Error).stack ?? '') ?? [];
  return {
    what: `"${module}" has no export "${name}"`,
    advice: 'Add it there, or correct the import.',
    place: importer === undefined ? undefined : placeOfImport(pathOf(importer), module),
  };
}

function missingProvider(error: unknown): Fault | undefined {
  if (!(error instanceof UnknownDependenciesException)) return undefined;
  return {
    what: summary(error),
    advice:
      'Add it to the providers in dispatch/handler.module.ts, or import the module that exports it. An interface cannot be injected: use a class.',
  };
}

function anyFault(error: unknown): Fault {
  const place = placeOfThrow(error);
  const advice =
    place === undefined ? 'Fix the handler, or what it needs.' : 'Fix the line below, or what it needs.';
  return { what: summary(error), advice, place };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** An error, its cause, and the cause of that, the last of which may be anything. */
function withCauses(error: unknown): unknown[] {
  const found = [error];
  for (let last = error; last instanceof Error && last.cause !== undefined && found.length < MAX_CAUSES;) {
    last = last.cause;
    found.push(last);
  }
  return found;
}

/** The first paragraph of each message. */
function summary(error: unknown): string {
  return withCauses(error).map(sentence).join(': ');
}

function sentence(error: unknown): string {
  const [first = ''] = messageOf(error).trim().split('\n\n', 1);
  return first.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, MAX_TEXT) || errorText(error);
}

/** The first line of a stack that is neither of Node.js nor of a package. Only the stack of a cause may have one. */
function placeOfThrow(error: unknown): Place | undefined {
  for (const frame of withCauses(error).flatMap(framesOf)) {
    const [, url, line, column] =
      /^ {4}at (?:.*? \()?(?:async )?((?:file:|\/|[A-Z]:\\).+):(\d+):(\d+)\)?$/.exec(frame) ?? [];
    if (url === undefined || url.includes('node_modules')) continue;
    return { file: pathOf(url), line: Number(line), column: Number(column) };
  }
  return undefined;
}

function framesOf(error: unknown): string[] {
  return error instanceof Error ? (error.stack ?? '').split('\n') : [];
}

/** Where a file imports something, in its source if that is there. */
function placeOfImport(importer: string, name: string): Place {
  for (const file of [sourceOf(importer), importer]) {
    for (const [index, text] of linesOf(file).entries()) {
      const column = Math.max(text.indexOf(`'${name}'`), text.indexOf(`"${name}"`)) + 1;
      if (column > 0) return { file, line: index + 1, column };
    }
  }
  return { file: importer, line: 1, column: 1 };
}

/** What a file was compiled from. */
function sourceOf(built: string): string {
  const map = linesOf(`${built}.map`).join('\n');
  if (map === '') return built;
  const { sources } = JSON.parse(map) as { sources: readonly string[] };
  return resolve(dirname(built), sources[0] ?? built);
}

function excerpt({ file, line, column }: Place): string[] {
  const where = `  ${slashed(relative('', file))}:${line}:${column}`;
  const text = linesOf(file)[line - 1];
  return text === undefined ? [where] : [where, `    ${text}`, `    ${' '.repeat(column - 1)}^`];
}

/** The lines of a file; none if it can't be read, such as a source that was not deployed. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** How a file imports another one. */
function specifier(importer: string, target: string): string {
  const path = slashed(relative(dirname(importer), target));
  return path.startsWith('.') ? path : `./${path}`;
}

/** What a stack names: a URL, or a path if it was found in a source map. */
const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url);

const slashed = (path: string): string => path.replaceAll('\\', '/');
