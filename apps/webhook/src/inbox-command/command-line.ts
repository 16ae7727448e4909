import { parseArgs } from 'node:util';

import { inboxUrl } from '../config/config.js';

/** What a person got wrong, or what can't be done. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** @param exitCode 1 if it failed, 2 if the command line is wrong */
  constructor(
    message: string,
    readonly exitCode: 1 | 2,
  ) {
    super(message);
  }
}

/** A message with a full stop at its end. */
export const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);

/** The command line is wrong. The message says what is wrong and what would be right. */
export const wrongUsage = (message: string): CommandError => new CommandError(message, 2);

/** An option. `value` is a placeholder for the help text; a switch has none. */
interface Option {
  readonly value?: string;
  readonly help: string;
}

const OPTIONS = {
  state: { value: 'STATE', help: 'only deliveries that are waiting, handled, parked or discarded' },
  since: { value: 'TIME', help: 'only deliveries received at TIME or later' },
  before: { value: 'TIME', help: 'only deliveries received before TIME' },
  id: { value: 'IDS', help: 'only these: 7, or 5..90' },
  'all-parked': { help: 'all parked deliveries' },
  limit: { value: 'N', help: 'at most N deliveries (default: 50)' },
  after: { value: 'ID', help: 'the page that follows the one that ends with ID' },
  reason: { value: 'TEXT', help: 'why; kept with the delivery (required)' },
  yes: { help: "don't ask" },
  text: { help: 'show the content as text, whatever it is' },
  hex: { help: 'show the content in hexadecimal' },
  raw: { help: 'write the bytes of the content, and nothing else' },
  handled: { help: 'import handled deliveries too; they are handled again' },
  json: { help: 'print JSON: one object, or one on each line of a list' },
  inbox: { value: 'URL', help: 'the inbox (default: INBOX_URL, or file:./data/inbox)' },
  help: { help: 'print this text' },
} as const satisfies Record<string, Option>;

/** Name of an option, without the dashes. */
export type OptionName = keyof typeof OPTIONS;

/** A parsed command line. */
export interface Given {
  /** What isn't an option. */
  readonly operands: readonly string[];
  /** The value of an option; undefined if it isn't there. */
  value(name: OptionName): string | undefined;
  /** Whether a switch is there. */
  has(name: OptionName): boolean;
  /** The inbox that is meant. */
  readonly inbox: string;
}

/** A command of `plant-inbox`. */
export interface Command {
  /** What it takes beside options, for the help text. */
  readonly operands: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** What else somebody who runs it must know. */
  readonly details: string;
  readonly options: readonly OptionName[];
  /** Does it. Returns the exit code. */
  readonly run: (given: Given) => Promise<0 | 1>;
}

/** Options of every command. */
const ALWAYS: readonly OptionName[] = ['inbox', 'help'];

/**
 * Parses what follows the name of a command.
 *
 * @returns undefined if help is wanted
 * @throws CommandError
 */
export function parse(
  name: string,
  command: Command,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Given | undefined {
  const names = [...command.options, ...ALWAYS];
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(
        names.map((option) => [option, { type: takesValue(option) ? 'string' : 'boolean' } as const]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (token.name === 'help') return undefined;
    const { rawName, value, inlineValue } = token;
    if (!names.includes(token.name as OptionName)) throw wrongUsage(`${rawName} is not an option of ${name}`);
    const option: Option = OPTIONS[token.name as OptionName];
    if (option.value === undefined && value !== undefined) throw wrongUsage(`${rawName} takes no value`);
    const isMissing = value === undefined || value === '' || (!inlineValue && value.startsWith('--'));
    if (option.value !== undefined && isMissing)
      throw wrongUsage(`${rawName} needs a value: ${rawName} ${option.value}`);
    values.set(token.name, value ?? '');
  }
  const operands = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  if (command.operands === '' && operands.length > 0)
    throw wrongUsage(`${name} takes only options (got ${JSON.stringify(operands[0])})`);
  return {
    operands,
    value: (option) => values.get(option),
    has: (option) => values.has(option),
    inbox: inboxOf(values.get('inbox'), environment['INBOX_URL'] || 'file:./data/inbox'),
  };
}

const takesValue = (name: OptionName): boolean => (OPTIONS[name] as Option).value !== undefined;

/**
 * The URL of the inbox that is meant.
 *
 * @throws CommandError
 */
function inboxOf(given: string | undefined, byDefault: string): string {
  const text = given ?? byDefault;
  const url = inboxUrl.safeParse(/^[a-z][a-z\d+.-]+:/i.test(text) ? text : `file:${text}`);
  if (url.success) return url.data;
  const name = given === undefined ? 'INBOX_URL' : '--inbox';
  throw wrongUsage(`${name} ${url.error.issues[0]!.message}`);
}

/** The text of `plant-inbox NAME --help`. */
export function help(name: string, { operands, summary, details, options }: Command): string {
  const rows = [...options, ...ALWAYS].map((option) => {
    const { value, help: text }: Option = OPTIONS[option];
    return row(value === undefined ? `--${option}` : `--${option} ${value}`, text);
  });
  const usage = ['plant-inbox', name, ...(operands === '' ? [] : [operands]), '[options]'].join(' ');
  return `Usage: ${usage}\n\n${summary}\n${details === '' ? '' : `\n${details}\n`}\nOptions:\n${rows.join('')}`;
}

/** A row of a help text. */
export const row = (left: string, right: string, width = 16): string => `  ${left.padEnd(width)}${right}\n`;
