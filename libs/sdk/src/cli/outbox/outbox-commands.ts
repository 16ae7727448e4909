import type { CommandOption, CommandOptions } from '../command-line/arguments.js';

/** Name of an option of `plant-store outbox`, without the dashes. */
export type OutboxOption = 'help' | 'json' | 'all';

/** One command of `plant-store outbox`. */
export interface OutboxCommand {
  /** What follows its name, in the help text. */
  readonly usage: string;
  readonly help: string;
  readonly options: CommandOptions<OutboxOption>;
  /** Whether it takes ids of entries. */
  readonly takesIds: boolean;
}

/** The environment variable with the address of the database. It may have a password, so it is never an argument. */
export const databaseVariable = 'PLANT_STORE_OUTBOX_URL';

const none: CommandOptions<OutboxOption> = new Map();
const json: CommandOptions<OutboxOption> = new Map([['json', { help: 'print each entry as JSON' }]]);
const all: CommandOptions<OutboxOption> = new Map([['all', { help: 'all parked entries' }]]);

/** The commands of `plant-store outbox` by their names. */
export const outboxCommands = {
  migrate: {
    usage: '',
    help: 'create the tables, or bring them to the version that this package needs',
    options: none,
    takesIds: false,
  },
  status: {
    usage: '',
    help: 'count the entries that wait, are being sent, and are parked',
    options: none,
    takesIds: false,
  },
  list: {
    usage: '[--json]',
    help: 'list the parked entries, each on a line',
    options: json,
    takesIds: false,
  },
  replay: {
    usage: 'ID...|--all',
    help: 'let relays send parked entries again',
    options: all,
    takesIds: true,
  },
  discard: { usage: 'ID...|--all', help: 'give parked entries up', options: all, takesIds: true },
} as const satisfies Record<string, OutboxCommand>;

/** Name of a command of `plant-store outbox`. */
export type OutboxCommandName = keyof typeof outboxCommands;

/** The option that every command has. */
export const helpOption: readonly ['help', CommandOption] = ['help', { help: 'print the help text' }];

/** The lines of the help text about these commands. */
export const outboxHelp: string = Object.entries<OutboxCommand>(outboxCommands)
  .map(([name, { usage, help }]) => `  ${`${name} ${usage}`.padEnd(28)}${help}\n`)
  .join('');
