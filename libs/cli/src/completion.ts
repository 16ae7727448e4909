import type { Command, Option } from 'commander';
import { BadInput } from './context.js';

/** How a shell asks the command for words. Where there are none, the shell offers files. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_plant_store() {
  local IFS=$'\\n'
  COMPREPLY=($(plant-store completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _plant_store plant-store
`,
  zsh: `#compdef plant-store
_plant_store() {
  local -a offered=("\${(@f)$(plant-store completion --words -- "\${(@)words[2,CURRENT]}")}")
  if [[ -n $offered ]]; then compadd -- $offered; else _files; fi
}
compdef _plant_store plant-store
`,
  fish: `complete -c plant-store -f -n '__plant_store_words >/dev/null' -a '(__plant_store_words)'
function __plant_store_words
  set -l words (commandline -opc) (commandline -ct)
  set -l offered (plant-store completion --words -- $words[2..-1])
  and test -n "$offered"
  and printf '%s\\n' $offered
end
`,
};

export const shells = Object.keys(scripts);

/**
 * The completion script of a shell.
 *
 * @throws BadInput if there is none
 */
export function scriptOf(shell = ''): string {
  if (shells.includes(shell)) return scripts[shell]!;
  throw new BadInput(`Name a shell: ${shells.join(', ')}.`);
}

/**
 * What can stand in the place of the last word, a line each: commands, options, or the values of an option.
 *
 * @param words What follows `plant-store`, up to the cursor. The last one may be empty.
 */
export function wordsFor(program: Command, words: readonly string[]): string {
  let command = program;
  let previous: Option | undefined;
  for (const word of words.slice(0, -1)) {
    command = command.commands.find((each) => each.name() === word) ?? command;
    previous = optionsOf(command).find(({ long, short }) => word === long || word === short);
  }
  const current = words.at(-1) ?? '';
  const offered = candidates(command, previous, current).filter((word) => word.startsWith(current));
  return offered.map((word) => `${word}\n`).join('');
}

function candidates(command: Command, previous: Option | undefined, current: string): readonly string[] {
  if (previous?.required) return previous.argChoices ?? [];
  if (current.startsWith('-')) return optionsOf(command).map(({ long }) => long!);
  return command.registeredArguments[0]?.argChoices ?? command.commands.map((each) => each.name());
}

const optionsOf = (command: Command): Option[] => command.createHelp().visibleOptions(command);
