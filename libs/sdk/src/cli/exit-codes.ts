import type { AnsweredSettings } from '../answers/answered-settings.js';
import type { PlantStoreError } from '../errors/plant-store-error.js';

/** Exit codes of the command, for scripts. */
export const exitCodes = Object.freeze({
  acknowledged: 0,
  notAcknowledged: 1,
  badInput: 2,
  notSent: 3,
  unknown: 4,
});

/** What the exit codes say under the answers given so far, for the help text. */
export function exitCodeMeanings(
  answered: AnsweredSettings,
): Readonly<Record<keyof typeof exitCodes, string>> {
  const { acknowledgedStatus, retry, signing } = answered;
  const secret = signing === undefined ? ' or the access token' : ', the access token or the signing key';
  const attempt = retry === undefined ? '' : ' to an attempt';
  return {
    acknowledged: `acknowledged: the receiver answered ${acknowledgedStatus ?? '2xx'}`,
    notAcknowledged: 'answered, but not acknowledged: any other status',
    badInput: `bad input: an argument, a file${secret}; nothing was sent`,
    notSent: 'not sent: nothing of the request went out, so sending again is safe',
    unknown: `unknown: no answer came${attempt}, and the receiver may have taken the plant`,
  };
}

/** The exit code of a delivery that failed. Content that is too large stays so, however often it is sent. */
export function exitCodeOf({ code, outcome }: Pick<PlantStoreError, 'code' | 'outcome'>): number {
  if (code === 'PLANT_STORE_CONTENT_TOO_LARGE') return exitCodes.badInput;
  const codes = { 'not-sent': 'notSent', unknown: 'unknown', answered: 'notAcknowledged' } as const;
  return exitCodes[codes[outcome]];
}
