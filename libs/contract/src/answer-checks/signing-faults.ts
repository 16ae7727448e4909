import type { SigningScheme } from '../answer-kinds/signing-scheme.js';
import type { Answers } from '../answer-types.js';
import { headerFaults } from './header-faults.js';
import { isCount } from './is-count.js';
import { unless } from './unless.js';

/** What is wrong with an answer to `signing`. */
export function signingFaults(scheme: SigningScheme, answers: Answers): string[] {
  const { signed, signature, timestamp } = scheme;
  return [
    ...headerFaults(signature.header),
    ...(timestamp === undefined ? [] : headerFaults(timestamp.header)),
    ...unless(
      /^[!-~]*$/.test(signature.prefix),
      'has a prefix of the signature that cannot stand in a header',
    ),
    ...unless(
      timestamp === undefined || isCount(timestamp.toleranceSeconds),
      'has a tolerance that is no whole number of seconds',
    ),
    ...unless(signed.includes('content'), 'does not sign the content'),
    ...unless(
      !signed.includes('timestamp') || timestamp !== undefined,
      'signs a timestamp, and has no `timestamp`',
    ),
    ...unless(
      !signed.includes('event-id') || 'header' in (answers['event-identity'] ?? {}),
      'signs the identifier of the event: answer event-identity with a header',
    ),
  ];
}
