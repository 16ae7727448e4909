/**
 * Why the receiver cannot start, or cannot store a delivery. The codes are stable; the messages are for people and say
 * what to do.
 */
export const RECEIVER_ERRORS = {
  CONFIGURATION_INVALID: 'A setting is missing or wrong. The message lists every fault.',
  ANSWERS_INVALID: 'An answer to an open question cannot be carried out. The message lists every fault.',
  ACCESS_TOKENS_UNREADABLE: 'The file of access tokens cannot be read, or has no usable token.',
  ADDRESS_UNAVAILABLE: 'The address is taken, belongs to another machine, or is not allowed.',
  HANDLER_UNUSABLE: 'The handler cannot be loaded, or what it injects cannot be created.',
  INBOX_IN_USE: 'Another receiver uses the same inbox.',
  INBOX_UNUSABLE:
    'The inbox cannot be opened, read or written: check the folder and its owner, or the database.',
  INBOX_DAMAGED: 'The inbox is damaged. The receiver ends with exit code 65. Restore a backup.',
  INBOX_LOST:
    'A file of the inbox was removed or replaced, or its disk failed to flush. The receiver ends with exit code 74.',
  INBOX_OPENING: 'The inbox is being opened. /readyz says what is done, and when it is open.',
  INBOX_CLOSED: 'The inbox was used after it was closed. Nothing was read or written.',
  INBOX_WRITE_FAILED:
    'The inbox could not write or be reached. The delivery is not stored, unless the reply that says so was lost: then it may be stored, and its repetition too.',
} as const;

/** Code of a {@link ReceiverError}. */
export type ReceiverErrorCode = keyof typeof RECEIVER_ERRORS;

/** A failure that an operator can fix. `cause` has what the system reported. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError';

  constructor(
    readonly code: ReceiverErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Exit codes of sysexits.h, for a supervisor. With EX_DATAERR another start is useless; it isn't with EX_IOERR. */
const EXIT_CODES: { readonly [code in ReceiverErrorCode]?: number } = { INBOX_DAMAGED: 65, INBOX_LOST: 74 };

/** The exit code of a receiver that ends because of this failure, at its start or later. */
export const exitCodeOf = ({ code }: ReceiverError): number => EXIT_CODES[code] ?? 1;

/** What whoever uses an inbox gets that isn't open yet. */
export function inboxOpening(location: string): ReceiverError {
  return new ReceiverError(
    'INBOX_OPENING',
    `The inbox at ${location} is being opened. Try again in a while.`,
  );
}

/** Whether this was thrown because an inbox isn't open yet, which is no fault. */
export function isOpening(error: unknown): boolean {
  return error instanceof ReceiverError && error.code === 'INBOX_OPENING';
}

/** What whoever uses a closed inbox gets. */
export function inboxClosed(location: string): ReceiverError {
  return new ReceiverError('INBOX_CLOSED', `The inbox at ${location} is closed. Open it again.`);
}
