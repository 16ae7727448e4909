import { keysOf, partAt } from '@plant-store/contract';
import { type Line, maxLineBytes } from './lines.js';

/** What is wrong with a line that isn't sent. The codes are for scripts. */
export interface LineFault {
  readonly code: 'LINE_NOT_JSON' | 'LINE_TOO_LONG' | 'LINE_WITHOUT_EVENT_ID';
  readonly message: string;
}

/** A line that can be sent, or what is wrong with it. */
export interface CheckedLine {
  readonly eventId?: string;
  readonly fault?: LineFault;
}

/** Whether a line has nothing but white space. Such a line is skipped. */
export function isBlank({ content, isTooLong }: Line): boolean {
  return !isTooLong && content.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Checks that a line is JSON in UTF-8 (RFC 8259 §8.1), and finds the identifier of its event.
 *
 * @param eventIdPointer JSON Pointer to the identifier, if event-identity is answered with a header.
 */
export function checkLine({ content, isTooLong }: Line, eventIdPointer: string | undefined): CheckedLine {
  if (isTooLong) return fault('LINE_TOO_LONG', `The line is longer than ${maxLineBytes} bytes.`);
  let plant: unknown;
  try {
    const text = utf8.decode(content);
    if (text.startsWith('\ufeff')) throw new Error('it begins with a byte order mark');
    plant = JSON.parse(text);
  } catch (error) {
    // The message repeats a part of the line, which may have characters that a terminal acts on.
    const reason = (error as Error).message.replaceAll(/[^ -~]/g, '?');
    return fault('LINE_NOT_JSON', `The line is not JSON in UTF-8: ${reason}.`);
  }
  if (eventIdPointer === undefined) return {};
  const found = partAt(plant, keysOf(eventIdPointer));
  // JSON.parse rounds other numbers, so that different events could get the same identifier.
  if (typeof found === 'string' || Number.isSafeInteger(found)) return { eventId: String(found) };
  const { MIN_SAFE_INTEGER: min, MAX_SAFE_INTEGER: max } = Number;
  return fault(
    'LINE_WITHOUT_EVENT_ID',
    `The identifier of the event at ${eventIdPointer} must be a string, or a whole number from ${min} to ${max}.`,
  );
}

function fault(code: LineFault['code'], message: string): CheckedLine {
  return { fault: { code, message } };
}
