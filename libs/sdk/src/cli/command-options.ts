/** One option of `plant-store send`. */
export interface CommandOption {
  /** Placeholder of its value in the help text; absent for a switch. */
  readonly value?: string;
  /** What it does, in a line of the help text. */
  readonly help: string;
}

/** The options of `plant-store send` by name, in the order of the help text. */
export const commandOptions = {
  'base-url': { value: 'URL', help: 'address to which the delivery path is appended' },
  method: { value: 'METHOD', help: 'HTTP method: POST, PUT or PATCH' },
  'content-type': { value: 'TYPE', help: 'media type of the content, as type/subtype' },
  'access-token-file': { value: 'FILE', help: 'file that holds the access token' },
  'connect-timeout': { value: 'MS', help: 'time for making a connection' },
  'attempt-timeout': { value: 'MS', help: 'time from dispatch to the end of the answer' },
  'total-timeout': { value: 'MS', help: 'time for all of it' },
  'allow-insecure-transport': { help: 'send the token over plain HTTP beyond loopback' },
  help: { help: 'print this text' },
  version: { help: 'print the version' },
} as const satisfies Record<string, CommandOption>;

/** Name of an option of `plant-store send`, without the dashes. */
export type CommandOptionName = keyof typeof commandOptions;
