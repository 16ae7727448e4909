import { type ExecutableAnswers, type Failure, FAILURES, statusOf } from '@plant-store/contract';
import { essenceOf } from '../encoders/encoder.js';
import type { Explanation, ReceiverResponse } from '../errors/not-acknowledged-error.js';

/** What the answers say about responses. Each is absent while its question is open. */
export interface ResponseAnswers {
  /** The only statuses that acknowledge a delivery. */
  readonly acknowledgedStatus?: number;
  readonly failureOfCode?: ReadonlyMap<string, Failure>;
  readonly failureOfStatus?: ReadonlyMap<number, Failure>;
  readonly errorPayload?: ExecutableAnswers['error-payloads'];
}

/** Reads responses as the answers define them. */
export class ResponseReader {
  readonly #answered: ResponseAnswers;
  /** The field with the code of the failure. */
  readonly #codeField: string | undefined;

  constructor(answered: ResponseAnswers) {
    this.#answered = answered;
    const fields = Object.entries(answered.errorPayload?.fields ?? {});
    this.#codeField = fields.find(([, what]) => what === 'code')?.[0];
  }

  /**
   * Whether a status acknowledges a delivery: the answered status, or any 2xx while the
   * question receiver-response is open (RFC 9110 §15.3).
   */
  acknowledges(status: number): boolean {
    const { acknowledgedStatus } = this.#answered;
    return acknowledgedStatus === undefined ? status >= 200 && status < 300 : status === acknowledgedStatus;
  }

  /** What an unsuccessful response says. While the questions of §7 are open, it says nothing. */
  explain(response: ReceiverResponse): Explanation {
    const { errorPayload, failureOfCode, failureOfStatus } = this.#answered;
    const payload = errorPayload && parse(response, errorPayload);
    const code =
      this.#codeField && (payload as Record<string, unknown> | null | undefined)?.[this.#codeField];
    const failure = failureOfCode?.get(code as string) ?? failureOfStatus?.get(response.status);
    return { failure, payload };
  }
}

/** The content as JSON; `undefined` whatever else the receiver sent. */
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
