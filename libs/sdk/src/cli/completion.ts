import { type CommandOption, type CommandOptions, parseArguments } from './command-line/arguments.js';
import { BadInput } from './command-line/bad-input.js';
import type { CommandContext } from './command-line/command.js';
import { exitCodes } from './command-line/exit-codes.js';

/** What can be completed of a command. */
export interface CompletedCommand {
  readonly help: string;
  readonly options: CommandOptions;
  /** The commands that can follow its name. */
  readonly commands?: Readonly<Record<string, CompletedCommand>>;
  /** The words that can follow its name, once. */
  readonly words?: readonly string[];
  /** Whether names of files can follow its name. */
  readonly takesFiles?: boolean;
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The shells for which there is a script. */
export const shells = Object.keys(scripts) as readonly (keyof typeof scripts)[];

/**
 * `plant-store completion SHELL`: prints a script that completes commands, options and names of files.
 *
 * @param command What `plant-store` completes.
 * @throws BadInput if there is no script for the shell.
 */
export function completion(
  args: readonly string[],
  command: CompletedCommand,
  { stdout }: CommandContext,
): number {
  const { operands, faults } = parseArguments(args, new Map());
  const shell = shells.find((name) => name === operands[0]);
  const usage = `Name one shell: plant-store completion ${shells.join('|')}.`;
  if (faults.length > 0 || shell === undefined || operands.length > 1) throw new BadInput(...faults, usage);
  stdout.write(scripts[shell](command));
  return exitCodes.acknowledged;
}

/** A command with the names that lead to it, and all commands below it. */
function withPaths(
  command: CompletedCommand,
  path: readonly string[] = [],
): (readonly [path: readonly string[], command: CompletedCommand])[] {
  const below = Object.entries(command.commands ?? {});
  return [[path, command], ...below.flatMap(([name, each]) => withPaths(each, [...path, name]))];
}

/** The words that can follow the name of a command, once. */
function wordsOf({ commands = {}, words = [] }: CompletedCommand): readonly string[] {
  return [...Object.keys(commands), ...words];
}

function bashScript(root: CompletedCommand): string {
  const cases = withPaths(root).map(([path, command]) => {
    const { options, takesFiles } = command;
    const words = wordsOf(command);
    const before = `'${path.join(' ')} '`;
    const choices = [...options].flatMap(([option, { choices: values }]) =>
      values === undefined ? [] : [`        --${option}) ${bashWords(values)} ;;`],
    );
    const named = (isWanted: (option: CommandOption) => boolean): string =>
      flagsOf([...options].filter(([, option]) => isWanted(option))).join('|');
    const [forFile, forOther] = [named(({ value }) => value === 'FILE'), named(isOther)];
    return [
      // Words follow the name itself; options and files follow anything.
      `    ${words.length > 0 ? before : `${before}*`})`,
      '      case $previous in',
      ...choices,
      ...(forFile === '' ? [] : [`        ${forFile}) compopt -o default ;;`]),
      ...(forOther === '' ? [] : [`        ${forOther}) ;;`]),
      `        *) if [[ $current == -* ]]; then ${bashWords(flagsOf(options))}`,
      `           else ${takesFiles === true ? 'compopt -o default' : bashWords(words)}; fi ;;`,
      '      esac ;;',
    ].join('\n');
  });
  return `# Completion of plant-store for bash: plant-store completion bash
_plant_store() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local before="\${COMP_WORDS[*]:1:COMP_CWORD - 1} "
  COMPREPLY=()
  case $before in
${cases.join('\n')}
  esac
}
complete -F _plant_store plant-store
`;
}

function bashWords(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`;
}

function zshScript(root: CompletedCommand): string {
  return `#compdef plant-store
# Completion of plant-store for zsh: plant-store completion zsh
_plant_store() {
  local -a commands
${zshBody(root, '  ')}
}
compdef _plant_store plant-store
`;
}

/** Completes what follows the name of a command, which is the first of `words`. */
function zshBody(command: CompletedCommand, indent: string): string {
  const { commands, words, takesFiles } = command;
  const specs = [...command.options].map(([name, option]) => zshOption(name, option));
  if (words !== undefined) specs.push(quoted(`1:word:(${words.join(' ')})`));
  if (takesFiles === true) specs.push(quoted('*:file:_files'));
  if (commands === undefined) {
    if (words === undefined && takesFiles !== true) specs.push(quoted('*: : '));
    return `${indent}_arguments ${specs.join(` \\\n${indent}  `)}`;
  }
  const names = Object.entries(commands).map(([name, { help }]) => quoted(`${name}:${help}`));
  const cases = Object.entries(commands).map(
    ([name, each]) => `${indent}  ${name})\n${zshBody(each, `${indent}    `)}\n${indent}    ;;`,
  );
  return [
    'if ((CURRENT == 2)); then',
    `  commands=(${names.join(' ')})`,
    `  _arguments ${[...specs, quoted('1: :{_describe command commands}')].join(` \\\n${indent}    `)}`,
    '  return',
    'fi',
    'shift words',
    '((CURRENT--))',
    'case $words[1] in',
    ...cases.map((each) => each.slice(indent.length)),
    'esac',
  ]
    .map((line) => indent + line)
    .join('\n');
}

function zshOption(name: string, { value, choices, help }: CommandOption): string {
  const text = help.replaceAll(/[[\]:]/g, '\\$&');
  if (value === undefined) return quoted(`--${name}[${text}]`);
  const values = choices === undefined ? (value === 'FILE' ? '_files' : ' ') : `(${choices.join(' ')})`;
  return quoted(`--${name}=[${text}]:${value}:${values}`);
}

function fishScript(root: CompletedCommand): string {
  const lines = withPaths(root).flatMap(([path, command]) => {
    const { commands = {}, words = [], takesFiles, options } = command;
    const complete = (condition: 'at' | 'after', rest: string): string =>
      `complete -c plant-store -n ${quoted([`__plant_store_${condition}`, ...path].join(' '))} ${rest}`;
    return [
      ...Object.entries(commands).map(([name, { help }]) => complete('at', `-a ${name} -d ${quoted(help)}`)),
      ...words.map((word) => complete('at', `-a ${word}`)),
      ...(takesFiles === true ? [complete('after', '-F')] : []),
      ...[...options].map(([name, option]) =>
        complete(wordsOf(command).length > 0 ? 'at' : 'after', fishOption(name, option)),
      ),
    ];
  });
  return `# Completion of plant-store for fish: plant-store completion fish
function __plant_store_at -d 'Whether exactly these words follow plant-store'
  set -l words (commandline -opc)
  test "$words[2..-1]" = "$argv"
end
function __plant_store_after -d 'Whether these words follow plant-store first'
  set -l words (commandline -opc)
  string match -q -- "$argv *" "$words[2..-1] "
end
complete -c plant-store -f
${lines.join('\n')}
`;
}

function fishOption(name: string, { value, choices, help }: CommandOption): string {
  const values =
    choices === undefined ? (value === 'FILE' ? ' -rF' : ' -x') : ` -xa ${quoted(choices.join(' '))}`;
  return `-l ${name}${value === undefined ? '' : values} -d ${quoted(help)}`;
}

function flagsOf(options: Iterable<readonly [name: string, option: CommandOption]>): string[] {
  return [...options].map(([name]) => `--${name}`);
}

/** Whether the value of an option can't be completed. */
function isOther({ value, choices }: CommandOption): boolean {
  return value !== undefined && value !== 'FILE' && choices === undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
