import { CONTENT_METHODS } from '@plant-store/contract';
import type { AnsweredSettings } from '../../answers/settings-table.js';
import type { CommandOption, CommandOptions } from '../command-line/arguments.js';

/** One option of `plant-store send`. */
interface SendOption extends CommandOption {
  /** Whether the answers ask for it. Without this, the option always exists. */
  readonly isAskedFor?: (answered: AnsweredSettings) => boolean;
  /** The option without which this one has no meaning. */
  readonly needs?: string;
}

const sendOptions = {
  'base-url': { value: 'URL', help: 'address to which the delivery path is appended' },
  method: { value: 'METHOD', choices: CONTENT_METHODS, help: 'HTTP method: POST, PUT or PATCH' },
  'content-type': { value: 'TYPE', help: 'media type of the content, such as type/subtype' },
  'event-id': {
    value: 'ID',
    help: 'identifier of the event, the same whenever you send the same event (required without --ndjson)',
    isAskedFor: ({ eventIdHeader }) => eventIdHeader !== undefined,
  },
  'event-id-pointer': {
    value: 'POINTER',
    help: 'JSON Pointer to the identifier of the event in each line, such as /id (required with --ndjson)',
    isAskedFor: ({ eventIdHeader }) => eventIdHeader !== undefined,
    needs: 'ndjson',
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
  ndjson: { help: 'send each line of FILE as one plant; a line is JSON' },
  concurrency: { value: 'N', help: 'how many lines are sent at the same time', needs: 'ndjson' },
  failed: {
    value: 'FILE',
    help: 'new file for the lines that are not acknowledged, with the reason',
    needs: 'ndjson',
  },
  progress: {
    value: 'FILE',
    help: 'file that records what was sent (default: FILE.progress)',
    needs: 'ndjson',
  },
  resume: { help: 'continue a run that ended early: send what is not acknowledged', needs: 'ndjson' },
  'resend-unknown': { help: 'also send lines that the receiver may have accepted', needs: 'resume' },
  json: { help: 'print the result as JSON' },
  help: { help: 'print this text' },
  version: { help: 'print the version' },
} as const satisfies Record<string, SendOption>;

/** The option with which the version is asked for, with or without a command. */
export const versionOption: readonly [string, CommandOption] = ['version', sendOptions.version];

/** Name of an option of `plant-store send`, without the dashes. */
export type SendOptionName = keyof typeof sendOptions;

/** The options of `plant-store send` under the answers given so far. */
export function sendOptionsUnder(answered: AnsweredSettings): CommandOptions<SendOptionName> {
  const options = Object.entries<SendOption>(sendOptions) as [SendOptionName, SendOption][];
  return new Map(options.filter(([, { isAskedFor }]) => isAskedFor === undefined || isAskedFor(answered)));
}

/** Whether an option is only for `--ndjson`. */
export function isForLines(name: SendOptionName): boolean {
  const { needs }: SendOption = sendOptions[name];
  return name === 'ndjson' || needs !== undefined;
}

/** What is wrong with how options are combined. */
export function combinationFaults(values: { readonly [Name in SendOptionName]?: string }): string[] {
  const given = Object.entries<SendOption>(sendOptions).filter(([name]) => Object.hasOwn(values, name));
  const faults = given
    .filter(([, { needs }]) => needs !== undefined && !Object.hasOwn(values, needs))
    .map(([name, { needs }]) => `--${name} needs --${needs}.`);
  if (values.ndjson === undefined || values['event-id'] === undefined) return faults;
  return [...faults, '--event-id is for one plant. With --ndjson, use --event-id-pointer.'];
}
