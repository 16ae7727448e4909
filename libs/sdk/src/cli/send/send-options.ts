import type { AnsweredSettings } from '../../answers/answered-settings.js';
import type { CommandOption, CommandOptions } from '../command-line/arguments.js';

/** One option of `plant-store send`. */
interface SendOption extends CommandOption {
  /** Whether the answers ask for it. Without this, the option always exists. */
  readonly isAskedFor?: (answered: AnsweredSettings) => boolean;
}

const sendOptions = {
  'base-url': { value: 'URL', help: 'address to which the delivery path is appended' },
  method: { value: 'METHOD', help: 'HTTP method: POST, PUT or PATCH' },
  'content-type': { value: 'TYPE', help: 'media type of the content, such as type/subtype' },
  'event-id': {
    value: 'ID',
    help: 'identifier of the event, the same whenever you send the same event (required)',
    isAskedFor: ({ eventIdHeader }) => eventIdHeader !== undefined,
  },
  'access-token-file': { value: 'FILE', help: 'file with the access token' },
  'signing-key-file': {
    value: 'FILE',
    help: 'file with the signing key',
    isAskedFor: ({ signing }) => signing !== undefined,
  },
  'connect-timeout': { value: 'MS', help: 'time for connecting' },
  'attempt-timeout': { value: 'MS', help: 'time for one attempt, to the end of the response' },
  'total-timeout': { value: 'MS', help: 'time for the whole delivery' },
  'allow-insecure-transport': { help: 'allow plain HTTP to addresses that are not loopback' },
  help: { help: 'print this text' },
  version: { help: 'print the version' },
} as const satisfies Record<string, SendOption>;

/** Name of an option of `plant-store send`, without the dashes. */
export type SendOptionName = keyof typeof sendOptions;

/** The options of `plant-store send` under the answers given so far. */
export function sendOptionsUnder(answered: AnsweredSettings): CommandOptions<SendOptionName> {
  const options = Object.entries<SendOption>(sendOptions) as [SendOptionName, SendOption][];
  return new Map(options.filter(([, { isAskedFor }]) => isAskedFor === undefined || isAskedFor(answered)));
}
