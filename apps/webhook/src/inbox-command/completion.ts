import type { Command, Option } from 'commander';

/** How a shell asks the command for words, as with `plant-store`. Where there are none, the shell offers files. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_plant_inbox() {
  local IFS=$'\\n'
  COMPREPLY=($(plant-inbox completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _plant_inbox plant-inbox
`,
  zsh: `#compdef plant-inbox
_plant_inbox() {
  local -a offered=("\${(@f)$(plant-inbox completion --words -- "\${(@)words[2,CURRENT]}")}")
  if [[ -n $offered ]]; then compadd -- $offered; else _files; fi
}
compdef _plant_inbox plant-inbox
`,
  fish: `complete -c plant-inbox -f -n '__plant_inbox_words >/dev/null' -a '(__plant_inbox_words)'
function __plant_inbox_words
  set -l words (commandline -opc) (commandline -ct)
  set -l offered (plant-inbox completion --words -- $words[2..-1])
  and test -n "$offered"
  and printf '%s\\n' $offered
end
`,
};

export const SHELLS = Object.keys(SCRIPTS);

/** The completion script of a shell; undefined if there is none. */
export const scriptOf = (shell = ''): string | undefined => SCRIPTS[shell];

/**
 * What can stand in the place of the last word, a line each: commands, options, or the values of an option.
 *
 * @param words what follows `plant-inbox`, up to the cursor; the last one may be empty
 */
export function wordsFor(program: Command, words: readonly string[]): string {
  const optionsOf = (of: Command): Option[] => of.createHelp().visibleOptions(of);
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = program.commands.find((each) => before.includes(each.name())) ?? program;
  const previous = optionsOf(command).find(({ long, short }) => [long, short].includes(before.at(-1)));
  const offered = previous?.required
    ? (previous.argChoices ?? [])
    : current.startsWith('-')
      ? optionsOf(command).map(({ long }) => long!)
      : (command.registeredArguments[0]?.argChoices ?? command.commands.map((each) => each.name()));
  return offered
    .filter((word) => word.startsWith(current))
    .map((word) => `${word}\n`)
    .join('');
}
