import type { AnsweredSettings } from '../answers/answered-settings.js';

/** One option of `plant-store send`. */
export interface CommandOption {
  /** Placeholder of its value in the help text; absent for a switch. */
  readonly value?: string;
  /** What it does, in a line of the help text. */
  readonly help: string;
  /** Whether the answers ask for it; without this, it is always there. */
  readonly isAskedFor?: (answered: AnsweredSettings) => boolean;
}

const commandOptions = {
  'base-url': { value: 'URL', help: 'address to which the delivery path is appended' },
  method: { value: 'METHOD', help: 'HTTP method: POST, PUT or PATCH' },
  'content-type': { value: 'TYPE', help: 'media type of the content, as type/subtype' },
  'event-id': {
    value: 'ID',
    help: 'identifier of the event, the same whenever it is sent again (required)',
    isAskedFor: ({ eventIdHeader }) => eventIdHeader !== undefined,
  },
  'access-token-file': { value: 'FILE', help: 'file that holds the access token' },
  'signing-key-file': {
    value: 'FILE',
    help: 'file that holds the key of the signature',
    isAskedFor: ({ signing }) => signing !== undefined,
  },
  'connect-timeout': { value: 'MS', help: 'time for making a connection' },
  'attempt-timeout': { value: 'MS', help: 'time from dispatch to the end of the answer' },
  'total-timeout': { value: 'MS', help: 'time for all of it' },
  'allow-insecure-transport': { help: 'send the token over plain HTTP beyond loopback' },
  help: { help: 'print this text' },
  version: { help: 'print the version' },
} as const satisfies Record<string, CommandOption>;

/** Name of an option of `plant-store send`, without the dashes. */
export type CommandOptionName = keyof typeof commandOptions;

/** The options of `plant-store send` under the answers given so far, in the order of the help text. */
export function commandOptionsUnder(
  answered: AnsweredSettings,
): readonly (readonly [name: CommandOptionName, option: CommandOption])[] {
  const options = Object.entries<CommandOption>(commandOptions) as [CommandOptionName, CommandOption][];
  return options.filter(([, { isAskedFor }]) => isAskedFor === undefined || isAskedFor(answered));
}
