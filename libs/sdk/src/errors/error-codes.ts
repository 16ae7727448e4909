import type { Outcome } from './outcome.js';

interface ErrorCodeEntry {
  /** The outcomes that an error with this code may have after one attempt. */
  readonly outcomes: readonly Outcome[];
  /** What happened, in a sentence. */
  readonly meaning: string;
}

function entry(meaning: string, ...outcomes: Outcome[]): ErrorCodeEntry {
  return Object.freeze({ meaning, outcomes: Object.freeze(outcomes) });
}

/** Every code that an error of this package has, with its meaning and the outcomes it may come with. */
export const errorCodes = Object.freeze({
  PLANT_STORE_INVALID_OPTIONS: entry(
    'Options of the sender or of `send` are missing or wrong; `faults` lists all of them.',
    'not-sent',
  ),
  PLANT_STORE_SENDER_CLOSED: entry('The sender was closed before the call.', 'not-sent'),
  PLANT_STORE_ENCODE_FAILED: entry(
    '`encode` threw, or gave no content, or a media type that is none or not the answered one.',
    'not-sent',
  ),
  PLANT_STORE_CONTENT_TOO_LARGE: entry(
    'The content is larger than the answer to the question size-limits.',
    'not-sent',
  ),
  PLANT_STORE_ACCESS_TOKEN_FAILED: entry(
    'The function that gives the access token threw, or gave something that is none.',
    'not-sent',
  ),
  PLANT_STORE_HEADERS_FAILED: entry(
    'The `headers` hook threw, or gave a header that is invalid or not its to set.',
    'not-sent',
  ),
  PLANT_STORE_CONNECT_FAILED: entry('No connection to the receiver could be made.', 'not-sent'),
  PLANT_STORE_CONNECT_TIMEOUT: entry('No connection was made within `connectTimeout`.', 'not-sent'),
  PLANT_STORE_ATTEMPT_TIMEOUT: entry(
    'No final status arrived within `attemptTimeout`.',
    'not-sent',
    'unknown',
  ),
  PLANT_STORE_TOTAL_TIMEOUT: entry('No final status arrived within `totalTimeout`.', 'not-sent', 'unknown'),
  PLANT_STORE_ABORTED: entry('The signal of the caller aborted.', 'not-sent', 'unknown', 'answered'),
  PLANT_STORE_CONNECTION_LOST: entry(
    'The connection broke before a final status arrived.',
    'not-sent',
    'unknown',
  ),
  PLANT_STORE_ANSWER_UNREADABLE: entry('What came back is not an answer in HTTP/1.1.', 'unknown'),
  PLANT_STORE_NOT_ACKNOWLEDGED: entry(
    'The receiver answered with a status that is no acknowledgement.',
    'answered',
  ),
});

/** Code of an error of this package. Codes are stable; match them rather than classes or messages. */
export type ErrorCode = keyof typeof errorCodes;
