import {
  type AnswerValues,
  type ExecutableAnswers,
  type Failure,
  FAILURES,
  statusOf,
} from '@plant-store/contract';

import { type PreparedResponse, prepareRefusal } from '../http/message.js';
import type { Refusals } from '../http/refusal.js';

/**
 * Makes the response to each failure (questions `status-codes`, `error-codes`, `error-payloads`). While they are open:
 * the status that HTTP defines for it, and no content.
 */
export function prepareRefusals(answers: AnswerValues): Refusals {
  const codes: Readonly<Partial<Record<Failure, string>>> = answers['error-codes'] ?? {};
  const responses: ExecutableAnswers['status-codes'] = answers['status-codes'] ?? {};
  const payload = answers['error-payloads'];

  const refusalOf = (failure: Failure): PreparedResponse => {
    const status = statusOf(failure, responses);
    if (payload === undefined) return prepareRefusal(failure, status);
    const known = { status, code: codes[failure], description: responses[failure]?.description };
    const fields = Object.entries(payload.fields).map(([name, what]) => [name, known[what]]);
    // JSON leaves out what is undefined.
    const text = JSON.stringify(Object.fromEntries(fields));
    return prepareRefusal(failure, status, { mediaType: payload.mediaType, text });
  };
  const failures = Object.keys(FAILURES) as Failure[];
  const refusals = Object.fromEntries(failures.map((failure) => [failure, refusalOf(failure)]));
  return Object.freeze(refusals) as Refusals;
}
