import { type Answers, type Failure, type FailureResponse, FAILURES } from '@plant-store/contract';

import { prepareAnswer, type PreparedAnswer } from './prepared-answer.js';

/** What each failure is answered with. */
export type Refusals = Readonly<Record<Failure, PreparedAnswer>>;

/**
 * Makes what each failure is answered with (questions `status-codes`, `error-codes`, `error-payloads`). While they are
 * open: the status that HTTP defines for it, and no content.
 */
export function prepareRefusals(answers: Answers): Refusals {
  const codes: Readonly<Partial<Record<Failure, string>>> = answers['error-codes'] ?? {};
  const responses: Readonly<Partial<Record<Failure, FailureResponse>>> = answers['status-codes'] ?? {};
  const payload = answers['error-payloads'];

  const refusalOf = (failure: Failure): PreparedAnswer => {
    const { status = FAILURES[failure], description } = responses[failure] ?? {};
    if (payload === undefined) return prepareAnswer(status);
    const known = { status, code: codes[failure], description };
    const fields = Object.entries(payload.fields).map(([name, what]) => [name, known[what]]);
    // JSON leaves out what is undefined.
    return prepareAnswer(status, {
      mediaType: payload.mediaType,
      text: JSON.stringify(Object.fromEntries(fields)),
    });
  };
  const failures = Object.keys(FAILURES) as Failure[];
  return Object.freeze(
    Object.fromEntries(failures.map((failure) => [failure, refusalOf(failure)])),
  ) as Refusals;
}
