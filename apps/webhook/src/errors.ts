/**
 * Why the receiver cannot start, or cannot keep a delivery. The codes are stable; the messages are for
 * people and say what to do.
 */
export const RECEIVER_ERRORS = {
  CONFIGURATION_INVALID: 'A setting is missing or wrong; every fault is listed.',
  ANSWERS_INVALID: 'An answer to an open question cannot be carried out; every fault is listed.',
  ACCESS_TOKENS_UNREADABLE: 'The file of access tokens cannot be read, or holds no usable token.',
  ADDRESS_UNAVAILABLE: 'The address cannot be listened on: taken, not of this machine, or not allowed.',
  INBOX_IN_USE: 'Another receiver works on the same inbox.',
  INBOX_UNUSABLE: 'The inbox cannot be opened: no folder, no permission, or not an inbox.',
  INBOX_WRITE_FAILED: 'The inbox could not write. Nothing of the delivery was kept or acknowledged.',
} as const;

/** Code of a {@link ReceiverError}. */
export type ReceiverErrorCode = keyof typeof RECEIVER_ERRORS;

/** A failure that an operator can mend. `cause` keeps what the system reported. */
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
