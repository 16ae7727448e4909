import { isUtf8 } from 'node:buffer';
import { keysOf, partAt } from '@plant-store/contract';

/** The longest line that is kept, in bytes. It limits the memory of a process that reads a file without line ends. */
const MAX_BYTES = 16_777_216;

/** A line of a file. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Its bytes without the line feed, or the carriage return and line feed, that ends it; none if it is too long. */
  readonly content: Buffer;
  readonly isTooLong: boolean;
  /** Bytes from the start of the file to the end of this line. */
  readonly end: number;
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const maxEndBytes = 2;

/** Splits a file into lines. The last one may have no line end. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let end = 0;
  let parts: Buffer[] = [];
  let length = 0;

  function take(part: Buffer): void {
    end += part.byteLength;
    length += part.byteLength;
    if (length <= MAX_BYTES + maxEndBytes) parts.push(part);
    else parts = [];
  }

  function endLine(): Line {
    const bytes = withoutEnd(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    const isTooLong = Math.max(bytes.byteLength, length - maxEndBytes) > MAX_BYTES;
    parts = [];
    length = 0;
    return { number: ++number, content: isTooLong ? Buffer.alloc(0) : bytes, isTooLong, end };
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let feed = chunk.indexOf(lineFeed); feed !== -1; feed = chunk.indexOf(lineFeed, start)) {
      take(chunk.subarray(start, feed + 1));
      start = feed + 1;
      yield endLine();
    }
    if (start < chunk.byteLength) take(chunk.subarray(start));
  }
  if (length > 0) yield endLine();
}

function withoutEnd(line: Buffer): Buffer {
  if (line.at(-1) !== lineFeed) return line;
  return line.subarray(0, line.at(-2) === carriageReturn ? -2 : -1);
}

/** Whether a line has nothing but white space. Such a line is skipped. */
export function isBlank({ content, isTooLong }: Line): boolean {
  return !isTooLong && content.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Why a line isn't sent. The codes are for scripts. */
export class LineFault extends Error {
  constructor(
    readonly code: 'LINE_NOT_JSON' | 'LINE_TOO_LONG' | 'LINE_WITHOUT_EVENT_ID',
    message: string,
  ) {
    super(message);
  }
}

/** Why bytes are not JSON in UTF-8, in other words than those of `JSON.parse`, which repeat a part of them. */
function whyNotJson(content: Buffer, error: unknown): string {
  if (!isUtf8(content)) return 'it has bytes that are not UTF-8';
  const text = content.toString();
  if (text.startsWith('\ufeff')) return 'it begins with a byte order mark';
  const { message } = error as SyntaxError;
  const [, position] = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
  if (position === undefined)
    return /^Unexpected end/.test(message) ? 'it ends too early' : 'its syntax is wrong';
  return Number(position) >= text.length
    ? 'it ends too early'
    : `its syntax is wrong at character ${Number(position) + 1}`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Checks that a line is JSON in UTF-8 (RFC 8259 §8.1), and finds the identifier of its event.
 *
 * @param eventIdPointer JSON Pointer to the identifier, if event-identity is answered with a header.
 * @throws LineFault
 */
export function eventIdOf(
  { content, isTooLong }: Line,
  eventIdPointer: string | undefined,
): string | undefined {
  if (isTooLong) throw new LineFault('LINE_TOO_LONG', `The line is longer than ${MAX_BYTES} bytes.`);
  let plant: unknown;
  try {
    plant = JSON.parse(utf8.decode(content));
  } catch (error) {
    throw new LineFault('LINE_NOT_JSON', `The line is not JSON in UTF-8: ${whyNotJson(content, error)}.`);
  }
  if (eventIdPointer === undefined) return undefined;
  const found = partAt(plant, keysOf(eventIdPointer));
  // JSON.parse rounds other numbers, so that different events could get the same identifier.
  if (typeof found === 'string' || Number.isSafeInteger(found)) return String(found);
  const { MIN_SAFE_INTEGER: min, MAX_SAFE_INTEGER: max } = Number;
  throw new LineFault(
    'LINE_WITHOUT_EVENT_ID',
    `The identifier of the event at ${eventIdPointer} must be a string, or a whole number from ${min} to ${max}.`,
  );
}
