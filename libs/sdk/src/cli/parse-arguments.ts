import { parseArgs } from 'node:util';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { type CommandOptionName, commandOptionsUnder } from './command-options.js';

/** The command line, taken apart. */
export interface ParsedArguments {
  readonly values: { readonly [Name in CommandOptionName]?: string };
  readonly operands: readonly string[];
  /** What is wrong with it. What was given as a value is never repeated here: it may be a secret. */
  readonly faults: readonly string[];
}

const tokenAsArgument =
  '--access-token does not exist: arguments can be seen by every user of the machine and stay in the ' +
  "shell's history. Put the token into a file and name it with --access-token-file, or into the environment " +
  'as ACCESS_TOKEN.';

type Kinds = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>;

/** Takes the command line apart under the answers given so far, and finds every fault of it. */
export function parseArguments(args: readonly string[], answered: AnsweredSettings): ParsedArguments {
  const kinds: Kinds = Object.fromEntries(
    commandOptionsUnder(answered).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' },
    ]),
  );
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: { ...kinds, help: { type: 'boolean', short: 'h' }, 'access-token': { type: 'string' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const options = tokens.filter((token) => token.kind === 'option');
  return {
    values: Object.fromEntries(options.map(({ name, value }) => [name, value ?? ''])),
    operands: positionals,
    faults: options.flatMap((option) => faultsOf(option, kinds)),
  };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function faultsOf({ name, rawName, value, inlineValue }: OptionToken, kinds: Kinds): string[] {
  if (name === 'access-token') return [tokenAsArgument];
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) return [`${rawName} is not an option. See plant-store --help.`];
  if (kind.type === 'boolean') return value === undefined ? [] : [`${rawName} takes no value.`];
  const missing = value === undefined || value === '' || (!inlineValue && value.startsWith('--'));
  return missing ? [`${rawName} needs a value.`] : [];
}
