import { type ExecutableAnswers, type Failure, FAILURES, statusOf } from '@plant-store/contract';
import { essenceOf } from '../encoders/media-type.js';
import type { Explanation, ReceiverResponse } from '../errors/not-acknowledged-error.js';

/** What the answers say about responses. Each is absent while its question is open. */
export interface ResponseAnswers {
  /** The only statuses that acknowledge a delivery. */
  readonly acknowledgedStatuses?: readonly number[];
  readonly failureOfCode?: ReadonlyMap<string, Failure>;
  readonly failureOfStatus?: ReadonlyMap<number, Failure>;
  readonly errorPayload?: ExecutableAnswers['error-payloads'];
}

/**
 * Makes the function that decides whether a status acknowledges a delivery: the answered status and those that are
 * accepted beside it, or any 2xx while the question receiver-response is open (RFC 9110 §15.3).
 */
export function acknowledges({ acknowledgedStatuses }: ResponseAnswers): (status: number) => boolean {
  return (status) => acknowledgedStatuses?.includes(status) ?? (status >= 200 && status < 300);
}

/** Reads what an unsuccessful response says. It never throws, whatever the receiver sent. */
export type ExplainResponse = (response: ReceiverResponse) => Explanation;

/** Makes the function that reads unsuccessful responses. While the questions of §7 are open, it finds nothing. */
export function responseExplainer({
  failureOfCode,
  failureOfStatus,
  errorPayload,
}: ResponseAnswers): ExplainResponse {
  const [codeField] = Object.entries(errorPayload?.fields ?? {}).find(([, what]) => what === 'code') ?? [];
  return (response) => {
    const payload = errorPayload && parse(response, errorPayload);
    const code = codeField && (payload as Record<string, unknown> | null | undefined)?.[codeField];
    const failure = failureOfCode?.get(code as string) ?? failureOfStatus?.get(response.status);
    return { failure, payload };
  };
}

function parse(
  { headers, content, truncated }: ReceiverResponse,
  { mediaType }: ExecutableAnswers['error-payloads'],
): unknown {
  const received = headers['content-type'];
  if (truncated || typeof received !== 'string' || essenceOf(received) !== essenceOf(mediaType)) {
    return undefined;
  }
  try {
    return JSON.parse(Buffer.from(content).toString());
  } catch {
    return undefined;
  }
}

/** The failure of each answered code. A code of several failures is left out. */
export function failuresByCode(codes: ExecutableAnswers['error-codes']): ReadonlyMap<string, Failure> {
  return unambiguous(Object.entries(codes) as [Failure, string][]);
}

/**
 * The failure of each answered status. A status of several failures is left out, whether it comes from an answer,
 * from a standard, or from what HTTP defines.
 */
export function failuresByStatus(codes: ExecutableAnswers['status-codes']): ReadonlyMap<number, Failure> {
  const failures = Object.keys(FAILURES) as Failure[];
  const statuses = failures.map((failure) => [failure, statusOf(failure, codes)] as const);
  return new Map([...unambiguous(statuses)].filter(([, failure]) => Object.hasOwn(codes, failure)));
}

function unambiguous<Sign>(signs: readonly (readonly [Failure, Sign])[]): ReadonlyMap<Sign, Failure> {
  const isUnique = (sign: Sign): boolean => signs.filter(([, other]) => other === sign).length === 1;
  return new Map(signs.filter(([, sign]) => isUnique(sign)).map(([failure, sign]) => [sign, failure]));
}
