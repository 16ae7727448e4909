import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';

/** Exit codes that both commands have, for the help. */
export const EXIT_CODES = `
Exit codes:
  0  done
  1  failed, or done in part: standard error says why
  2  the command line, an input or a setting is wrong; nothing was done
  5  the command cannot run: it is not compiled, or Node.js is too old`;

/**
 * Gives a program the version of its package, options, and help of 80 columns. What is wrong with a command line is thrown.
 *
 * @param manifest The package.json.
 */
export function setUp(program: Command, manifest: URL): Command {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return program
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ getOutHelpWidth: () => 80, getErrHelpWidth: () => 80 })
    .exitOverride();
}

/** Refuses an option that is given twice, in this command and those below it: only its last value would count. */
export function refuseTwice(command: Command, repeatable: readonly string[]): void {
  for (const child of command.commands) refuseTwice(child, repeatable);
  for (const option of command.options) {
    if (!option.required || repeatable.includes(option.long!)) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' is given twice.`);
      isGiven = true;
    });
  }
}

/** The option that says how a result is printed. `raw` writes the bytes of a content, and nothing else. */
export const outputOption = (...more: readonly 'raw'[]): Option =>
  new Option('-o, --output <format>', 'how to print it').choices(['text', 'json', ...more]);

/** Examples of a command, for its help. */
export const examplesText = (program: string, examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  ${program} ${example}`).join('\n')}`;

/** What Commander says is wrong, as one line. The value of an unknown option may be a secret, and is left out. */
export function faultOf(message: string): string {
  return message
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^error: /, '')
    .replace(/^command-argument value ('.*') is invalid for argument '(.*?)'/, '$2 $1 is invalid')
    .replace(/^required option '(--[a-z]+) .*' not specified$/, '$1 is missing.')
    .replace(/^(unknown option '[^'=]*)=.*?'( \(Did you mean .*\))?$/, "$1'$2");
}
