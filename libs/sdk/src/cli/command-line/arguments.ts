import { parseArgs } from 'node:util';

/** One option of a command. */
export interface CommandOption {
  /** Placeholder of its value in the help text; absent for a switch. `FILE` is completed with names of files. */
  readonly value?: string;
  /** The values that it can have, for completion. */
  readonly choices?: readonly string[];
  /** Its line in the help text. */
  readonly help: string;
}

/** The options of a command by their names, without the dashes. In the order of the help text. */
export type CommandOptions<Name extends string = string> = ReadonlyMap<Name, CommandOption>;

/** A parsed command line. */
export interface ParsedArguments<Name extends string = string> {
  /** The text of an option, empty for a switch. */
  readonly values: { readonly [Option in Name]?: string };
  /** What isn't an option and doesn't follow an unknown option. */
  readonly operands: readonly string[];
  /** Whether an argument was left out of `operands`, because it may be the value of an unknown option. */
  readonly isIncomplete: boolean;
  /** What is wrong. Values are never repeated here, because they may be secrets. */
  readonly faults: readonly string[];
  /** Names of options that are misspelt or have no value. Other faults of them are only consequences. */
  readonly faultyOptions: ReadonlySet<string>;
}

const tokenAsArgument =
  '--access-token does not exist, because every user of this machine can see arguments and the shell keeps them ' +
  'in its history. Write the token to a file and pass --access-token-file, or set ACCESS_TOKEN in the environment.';

/** Parses the arguments of a command, and finds all their faults. */
export function parseArguments<Name extends string>(
  args: readonly string[],
  commandOptions: CommandOptions<Name>,
): ParsedArguments<Name> {
  const options: CommandOptions = commandOptions;
  const kinds = [...options].map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const { tokens } = parseArgs({
    args: withEmptyValues(args, options),
    options: {
      ...Object.fromEntries(kinds),
      help: { type: 'boolean', short: 'h' },
      'access-token': { type: 'string' },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === 'option');
  const faults = given.flatMap((token) => faultOf(token, options) ?? []);
  const unknown = given.filter(({ name, value }) => isUnknown(name, options) && value === undefined);
  const positionals = tokens.filter((token) => token.kind === 'positional');
  const operands = positionals.filter(({ index }) => !unknown.some((option) => option.index + 1 === index));
  return {
    values: Object.fromEntries(
      given.map(({ name, value }) => [name, value ?? '']),
    ) as ParsedArguments<Name>['values'],
    operands: operands.map(({ value }) => value),
    isIncomplete: operands.length < positionals.length,
    faults: faults.map(({ message }) => message),
    faultyOptions: new Set(faults.map(({ option }) => option)),
  };
}

/** Gives an option whose value is missing an empty one, so that it doesn't take the next option for its value. */
function withEmptyValues(args: readonly string[], options: CommandOptions): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args.map((argument, index) => {
    const next = args[index + 1];
    const takesValue = options.get(argument.slice(2))?.value !== undefined;
    const isMissing =
      index < end && argument.startsWith('--') && (next === undefined || next.startsWith('--'));
    return takesValue && isMissing ? `${argument}=` : argument;
  });
}

function isUnknown(name: string, options: CommandOptions): boolean {
  return name !== 'access-token' && !options.has(name);
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

/** What is wrong with an option, and the name of the option that was meant. */
interface ArgumentFault {
  readonly option: string;
  readonly message: string;
}

function faultOf({ name, rawName, value }: OptionToken, options: CommandOptions): ArgumentFault | undefined {
  if (name === 'access-token') return { option: 'access-token-file', message: tokenAsArgument };
  const option = options.get(name);
  if (option === undefined) return unknownOption(name, rawName, options);
  if (option.value === undefined) {
    return value === undefined ? undefined : { option: name, message: `${rawName} takes no value.` };
  }
  if (value !== undefined && value !== '') return undefined;
  return { option: name, message: `${rawName} needs a value: ${rawName} ${option.value}.` };
}

function unknownOption(name: string, rawName: string, options: CommandOptions): ArgumentFault {
  const nearest = nearestOf(name, [...options.keys(), 'access-token']);
  const message = `${rawName} is not an option.`;
  if (nearest === undefined) return { option: name, message: `${message} See plant-store --help.` };
  return nearest === 'access-token'
    ? { option: 'access-token-file', message: `${message} ${tokenAsArgument}` }
    : { option: nearest, message: `${message} Did you mean --${nearest}? See plant-store --help.` };
}

/** The candidate that differs in at most two letters, or begins with the name. */
function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  if (name.length < 3) return undefined;
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= 2 || candidate.startsWith(name))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.candidate;
}

/** How many letters must be added, removed or replaced to turn one word into the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = row[column - 1]! + (one[index] === other[column - 1] ? 0 : 1);
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, replaced));
    }
    row = next;
  }
  return row[other.length]!;
}
