import type { Fact } from '../facts/fact.js';
import type { Place } from '../read/place.js';

/** A file, and a line of it where one is known. */
export interface Position {
  readonly file: string;
  readonly line?: number;
}

/** A value as JSON text, and where it is written. */
export interface Statement extends Position {
  readonly value: string;
}

/** Where something of a source file is written. */
export function positionOf({ file, start }: Place): Required<Position> {
  return { file: file.path, line: file.lineAt(start) };
}

/** A fact, and where it is written. */
export function statementOf({ text, place }: Fact): Statement {
  return { value: text, ...positionOf(place) };
}

/** `path:line`, or `path`. */
export function formatPosition({ file, line }: Position): string {
  return line === undefined ? file : `${file}:${line}`;
}
