import { type CommandOption, type CommandOptions, parseArguments } from './command-line/arguments.js';
import { BadInput } from './command-line/bad-input.js';
import type { CommandContext } from './command-line/command.js';
import { exitCodes } from './command-line/exit-codes.js';

/** What can be completed of a command. */
export interface CompletedCommand {
  readonly help: string;
  readonly options: CommandOptions;
  /** The words that can follow its name; names of files without this. */
  readonly words?: readonly string[];
}

/** The commands by their names. */
export type CompletedCommands = Readonly<Record<string, CompletedCommand>>;

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The shells for which there is a script. */
export const shells = Object.keys(scripts) as readonly (keyof typeof scripts)[];

/**
 * `plant-store completion SHELL`: prints a script that completes commands, options and names of files.
 *
 * @throws BadInput if there is no script for the shell.
 */
export function completion(
  args: readonly string[],
  commands: CompletedCommands,
  { stdout }: CommandContext,
): number {
  const { operands, faults } = parseArguments(args, new Map());
  const shell = shells.find((name) => name === operands[0]);
  const usage = `Name one shell: plant-store completion ${shells.join('|')}.`;
  if (faults.length > 0 || shell === undefined || operands.length > 1) throw new BadInput(...faults, usage);
  stdout.write(scripts[shell](commands));
  return exitCodes.acknowledged;
}

function bashScript(commands: CompletedCommands): string {
  const cases = Object.entries(commands).map(([name, { options, words }]) => {
    const flags = flagsOf(options);
    const operands = words === undefined ? 'compopt -o default' : bashWords(words);
    const choices = [...options].flatMap(([option, { choices: values }]) =>
      values === undefined ? [] : [`        --${option}) ${bashWords(values)} ;;`],
    );
    const takesFile = flags.filter((flag) => options.get(flag.slice(2))?.value === 'FILE');
    const takesOther = flags.filter((flag) => isOther(options.get(flag.slice(2))!));
    return [
      `    ${name})`,
      '      case $previous in',
      ...choices,
      ...(takesFile.length === 0 ? [] : [`        ${takesFile.join('|')}) compopt -o default ;;`]),
      ...(takesOther.length === 0 ? [] : [`        ${takesOther.join('|')}) ;;`]),
      `        *) if [[ $current == -* ]]; then ${bashWords(flags)}; else ${operands}; fi ;;`,
      '      esac ;;',
    ].join('\n');
  });
  return `# Completion of plant-store for bash: plant-store completion bash
_plant_store() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    ${bashWords(Object.keys(commands))}
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
}
complete -F _plant_store plant-store
`;
}

function bashWords(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`;
}

function zshScript(commands: CompletedCommands): string {
  const names = Object.entries(commands).map(([name, { help }]) => `    ${quoted(`${name}:${help}`)}`);
  const cases = Object.entries(commands).map(([name, { options, words }]) => {
    const operand = words === undefined ? '*:file:_files' : `1:word:(${words.join(' ')})`;
    const specs = [...options].map(([option, { value, choices, help }]) => {
      const values = choices === undefined ? (value === 'FILE' ? '_files' : ' ') : `(${choices.join(' ')})`;
      const text = help.replaceAll(/[[\]:]/g, '\\$&');
      return quoted(
        `--${option}${value === undefined ? '' : '='}[${text}]${value === undefined ? '' : `:${value}:${values}`}`,
      );
    });
    return [`    ${name})`, `      _arguments ${[...specs, quoted(operand)].join(' \\\n        ')} ;;`].join(
      '\n',
    );
  });
  return `#compdef plant-store
# Completion of plant-store for zsh: plant-store completion zsh
_plant_store() {
  local -a commands=(
${names.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join('\n')}
  esac
}
compdef _plant_store plant-store
`;
}

function fishScript(commands: CompletedCommands): string {
  const names = Object.entries(commands).flatMap(([name, { help, options, words }]) => {
    const condition = `-n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c plant-store -f -n __fish_use_subcommand -a ${name} -d ${quoted(help)}`,
      words === undefined
        ? `complete -c plant-store ${condition} -F`
        : `complete -c plant-store ${condition} -f -a ${quoted(words.join(' '))}`,
      ...[...options].map(([option, { value, choices, help: text }]) => {
        const values =
          choices === undefined ? (value === 'FILE' ? ' -rF' : ' -x') : ` -xa ${quoted(choices.join(' '))}`;
        return `complete -c plant-store ${condition} -l ${option}${value === undefined ? '' : values} -d ${quoted(text)}`;
      }),
    ];
  });
  return `# Completion of plant-store for fish: plant-store completion fish\n${names.join('\n')}\n`;
}

function flagsOf(options: CommandOptions): string[] {
  return [...options.keys()].map((name) => `--${name}`);
}

/** Whether the value of an option can't be completed. */
function isOther({ value, choices }: CommandOption): boolean {
  return value !== undefined && value !== 'FILE' && choices === undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
