/** Answers about the response to a delivery, and about what a sender does after it. */
import {
  isJsonMediaType,
  mediaTypeFaults,
  textFaults,
  timeFaults,
  unless,
  wholeNumberFaults,
} from './checks.js';

/** The response to a delivery that a receiver has accepted (question `receiver-response`; RFC 9110 §15.3). */
export type ReceiverResponse =
  | { readonly status: 204 | 205; readonly description: string }
  | {
      readonly status: 200 | 201 | 202 | 203;
      readonly description: string;
      /** Sent unchanged, in UTF-8. */
      readonly content?: { readonly mediaType: string; readonly text: string };
    };

/** When a delivery that was not acknowledged is sent again (question `retry`). */
export interface RetryPolicy {
  /** The wait before each further attempt, in milliseconds. Its length is the number of further attempts. */
  readonly delays: readonly number[];
  /** The statuses that lead to another attempt. `all`: every status that is not an acknowledgement. */
  readonly statuses: readonly number[] | 'all';
  /** Whether there is another attempt without a response: no connection, a lost one, or a time-out of the attempt. */
  readonly withoutResponse: boolean;
}

export function receiverResponseFaults(response: ReceiverResponse): string[] {
  const { status, description } = response;
  const content = 'content' in response ? response.content : undefined;
  return [
    ...textFaults('description', description),
    ...unless(
      content === undefined || ![204, 205].includes(status),
      `must not have content, because a ${status} response has none`,
    ),
    ...(content === undefined ? [] : contentFaults(content)),
  ];
}

export function retryFaults({ delays, statuses }: RetryPolicy): string[] {
  return [
    ...delays.flatMap((delay) => timeFaults('each of delays', delay, 0)),
    ...(statuses === 'all'
      ? []
      : statuses.flatMap((status) => wholeNumberFaults('each of statuses', status, 100, 599))),
  ];
}

function contentFaults({ mediaType, text }: { mediaType: string; text: string }): string[] {
  return [
    ...mediaTypeFaults('content.mediaType', mediaType),
    ...unless(
      !isJsonMediaType(mediaType) || isJson(text),
      `content.text must be JSON, because its media type is ${mediaType}`,
    ),
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
