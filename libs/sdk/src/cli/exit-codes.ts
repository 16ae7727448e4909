import type { Outcome } from '../errors/outcome.js';

/** Exit codes of the command, for scripts. */
export const exitCodes = Object.freeze({
  acknowledged: 0,
  notAcknowledged: 1,
  badInput: 2,
  notSent: 3,
  unknown: 4,
});

/** What an exit code says, for the help text. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = Object.freeze({
  acknowledged: 'acknowledged: the receiver answered 2xx',
  notAcknowledged: 'answered, but not acknowledged: any other status',
  badInput: 'bad input: an argument, a file or the access token; nothing was sent',
  notSent: 'not sent: nothing of the request went out, so sending again is safe',
  unknown: 'unknown: no answer came, and the receiver may have taken the plant',
});

/** The exit code of a delivery that failed. */
export function exitCodeOf(outcome: Outcome): number {
  const codes = { 'not-sent': 'notSent', unknown: 'unknown', answered: 'notAcknowledged' } as const;
  return exitCodes[codes[outcome]];
}
