import { InvalidOptionsError } from '../errors/invalid-options-error.js';

/** What neither changes nor gets lost in a header field (RFC 9110 §5.5). */
const eventIdPattern = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Reads `eventId`, which each `send` needs once the question event-identity is answered with a header.
 *
 * @throws InvalidOptionsError where it is missing, or can't stand in a header.
 */
export function readEventId(option: unknown): string {
  if (typeof option === 'string' && eventIdPattern.test(option)) return option;
  const problem =
    option === undefined
      ? 'is missing: each delivery carries the identifier of its event.'
      : 'must be text of printable ASCII that neither begins nor ends with a space.';
  throw new InvalidOptionsError([{ option: 'eventId', problem, question: 'event-identity' }]);
}
