import type { AnsweredSettings } from '../../answers/settings-table.js';
import type { PlantStoreError } from '../../errors/plant-store-error.js';

/** Exit codes of the command, for scripts. bin/plant-store.js exits with `notBuilt`. */
export const exitCodes = Object.freeze({
  acknowledged: 0,
  notAcknowledged: 1,
  badInput: 2,
  notSent: 3,
  unknown: 4,
  notBuilt: 5,
});

/** The meaning of the exit codes under the answers given so far, for the help text. */
export function exitCodeMeanings(
  answered: AnsweredSettings,
): Readonly<Record<keyof typeof exitCodes, string>> {
  const { acknowledgedStatuses, retry, signing } = answered;
  const secret = signing === undefined ? ' or the access token' : ', the access token or the signing key';
  const missing = retry === undefined ? 'no response came' : 'an attempt got no response';
  return {
    acknowledged: `acknowledged: the receiver responded with ${acknowledgedStatuses?.join(' or ') ?? '2xx'}`,
    notAcknowledged: 'not acknowledged: the receiver responded with another status',
    badInput: `bad input: an argument, a file${secret} is wrong; nothing was sent`,
    notSent: 'not sent: no request reached a connection; it is safe to send again',
    unknown: `unknown: ${missing} from the receiver; it may have accepted the plant`,
    notBuilt: 'not built: the command has to be compiled first; nothing was sent',
  };
}

/** What an exit code can say of a delivery. */
export type Result = Exclude<keyof typeof exitCodes, 'notBuilt'>;

/** The result of a failed delivery. Content that is too large is bad input: sending it again doesn't help. */
export function resultOf({ code, outcome }: Pick<PlantStoreError, 'code' | 'outcome'>): Result {
  if (code === 'PLANT_STORE_CONTENT_TOO_LARGE') return 'badInput';
  return resultOfOutcome[outcome];
}

const resultOfOutcome = { 'not-sent': 'notSent', unknown: 'unknown', responded: 'notAcknowledged' } as const;
