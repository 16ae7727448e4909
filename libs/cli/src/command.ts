import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { limitDefaults } from '@plant-store/sdk/internal-light';
import { Argument, Command, CommanderError, Option } from 'commander';
import { scriptOf, shells, wordsFor } from './completion.js';
import {
  BadInput,
  type CommandContext,
  CommandFailed,
  EXIT_CODES,
  examplesText,
  SEND_EXIT_CODES,
  exitCodeOf,
  oneLine,
  outputOption,
  printJson,
  say,
} from './context.js';
import { addOutboxCommands } from './outbox/outbox-commands.js';
import type { RelayValues } from './outbox/relay-command.js';
import type { SendValues } from './send/send-values.js';
import { addSenderOptions, defaultOf, wholeNumber } from './send/sender-options.js';

/** Columns of the help text. */
const HELP_WIDTH = 80;

/** Runs a command line and returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    let exitCode = 0;
    const program = createProgram(context, (code) => (exitCode = code));
    refuseTwice(program);
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, args, context);
  }
}

/** The commands of `plant-store`. What sends and what relays is imported when it runs. */
function createProgram(context: CommandContext, exitWith: (code: number) => void): Command {
  const { stdout } = context;
  const program = new Command('plant-store')
    .description('Sends the New Plant notification of a plant store, and looks after an outbox.')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      // reportError says it.
      writeErr: () => {},
    })
    .exitOverride()
    .addHelpText(
      'after',
      `${examplesText([`send plant.json ${SEND_EXAMPLE}`, 'outbox status'])}\n${EXIT_CODES}`,
    );
  addSend(program, context, exitWith);
  addOutboxCommands(program, context);
  addRelay(program, context);
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description('Prints a completion script. Load it with: source <(plant-store completion bash)')
    .addArgument(new Argument('[shell]', 'the shell').choices(shells).argParser((text) => text))
    .addOption(new Option('--words', 'print the words that can follow').hideHelp())
    .allowExcessArguments()
    .addHelpText('after', `${examplesText(['completion bash'])}\n${EXIT_CODES}`)
    .action((shell: string | undefined, { words }: { words?: true }, { args }: Command) => {
      stdout.write(words ? wordsFor(program, args) : scriptOf(shell));
    });
  return program;
}

/** Refuses an option that is given twice: only its last value would count. */
function refuseTwice(command: Command): void {
  command.commands.forEach(refuseTwice);
  for (const option of command.options.filter(({ long, required }) => required && long !== '--header')) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' is given twice.`);
      isGiven = true;
    });
  }
}

function addSend(program: Command, context: CommandContext, exitWith: (code: number) => void): void {
  const { given } = context;
  const { 'event-identity': identity, 'media-type': mediaType, retry, signing } = given;
  const asksForId = identity !== undefined && 'header' in identity;
  const attempts = retry?.delays.length ? `up to ${retry.delays.length + 1} attempts` : 'one attempt';
  const send = program
    .command('send')
    .summary('send a plant, or a file with many')
    .description(
      `Sends the content of a file as the New Plant notification, unchanged, in ${attempts} (question retry) unless --retry says more.`,
    )
    .argument('<file>', 'what is sent; - for standard input')
    .option('--content-type <type>', `media type of the content ${defaultOf('media-type', mediaType)}`);
  if (asksForId) send.option('--event-id <id>', 'identifier of the event (required without --ndjson)');
  addSenderOptions(send, given)
    .addOption(outputOption())
    .optionsGroup('Options for a file with many plants:')
    .option('--ndjson', 'send each line as one plant; a line is JSON')
    .option('--results <file>', 'new file with a line for each plant (required with --ndjson)')
    .option(
      '--concurrency <count>',
      `lines that are sent at the same time (default: ${limitDefaults.maxConnections})`,
      wholeNumber(1, 10_000),
    )
    .option('--resume', 'continue the run of --results: send what is not acknowledged')
    .option('--resend-unknown', 'with --resume, also send lines that may have been accepted');
  if (asksForId)
    send.option(
      '--event-id-pointer <pointer>',
      'JSON Pointer to the identifier of the event in each line, such as /id (required with --ndjson)',
    );
  send
    .addHelpText(
      'after',
      `${ABOUT_TOKEN}${signing === undefined ? '' : ABOUT_KEY}${examplesText([`send plant.json ${SEND_EXAMPLE}`])}\n${SEND_EXIT_CODES}`,
    )
    .action(async (file: string, values: SendValues) => {
      const { sendLines } = await import('./lines/send-lines.js');
      const { sendOne } = await import('./send/send-one.js');
      exitWith(await (values.ndjson ? sendLines : sendOne)(file, values, context));
    });
}

function addRelay(program: Command, context: CommandContext): void {
  const relay = program
    .command('relay')
    .summary('send what is in an outbox, until it is interrupted')
    .description(
      'Sends the entries of the outbox that PLANT_STORE_OUTBOX_URL names. It logs lines of JSON. Ctrl-C or SIGTERM stops it in order; another one, a second later, ends what is being sent.',
    );
  relay.createOption = orEnvironment;
  addSenderOptions(relay, context.given);
  relay.options.find(({ long }) => long === '--retry')!.description =
    'send an entry that the receiver refused up to so many times again, after 1 s, 2 s, 4 s … 60 s, unless it refused the content (400, 413, 415, 422); without a connection, an entry waits';
  relay
    .option(
      '--concurrency <count>',
      'entries that are sent at the same time (default: 64)',
      wholeNumber(1, 10_000),
    )
    .option('--metrics-port <port>', 'serve /metrics on this port', wholeNumber(0, 65_535))
    .option('--metrics-host <address>', 'and on this address, :: for every one (default: 127.0.0.1)')
    .addHelpText(
      'after',
      `${ABOUT_RETRY}${examplesText(['relay --base-url https://receiver.example --method POST --retry 10'])}\n${EXIT_CODES}`,
    )
    .action(async (values: RelayValues) =>
      (await import('./outbox/relay-command.js')).runRelay(values, context),
    );
}

/** Makes an option whose value, if it has one, is read from the environment, too. */
function orEnvironment(flags: string, description?: string): Option {
  const option = new Option(flags, description);
  const long = option.long!;
  // Commander keeps only one value of --header. The file of the signing key is looked for behind the key itself.
  if (!option.required || ['--header', '--signing-key-file'].includes(long)) return option;
  return option.env(`PLANT_STORE_${long.slice(2).replaceAll('-', '_').toUpperCase()}`);
}

const SEND_EXAMPLE = `--base-url https://receiver.example \\
    --method POST --content-type application/json`;

const ABOUT_TOKEN = `
The access token is never an argument. It is the first line that is neither empty
nor a comment (#) of the file of --access-token-file; else ACCESS_TOKEN in the
environment; else it is in the file that ACCESS_TOKEN_FILE names.

Proxies are those of the environment, as with curl: https_proxy, http_proxy,
all_proxy, no_proxy.
`;

const ABOUT_KEY = `
The signing key is read in the same way: from --signing-key-file,
PLANT_STORE_SIGNING_KEY or PLANT_STORE_SIGNING_KEY_FILE.
`;

const ABOUT_RETRY = `
The access token is read as by plant-store send. While the question retry is
open, --retry is required.
`;

/** The version of this package. */
function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** Reports an error. @returns the exit code */
function reportError(error: unknown, args: readonly string[], context: CommandContext): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const isJson = / (-o|-o |--output[ =])json /.test(` ${args.join(' ')} `);
  const faults = faultsOf(error, args);
  if (faults !== undefined) {
    const exitCode = exitCodeOf({ badInput: 1 });
    for (const fault of faults) say(fault, context);
    if (isJson) printJson({ exitCode, faults }, context);
    return exitCode;
  }
  const { message } = error as Error;
  if (error instanceof CommandFailed) {
    say(message, context);
    return 1;
  }
  const isInterrupted = context.signal.aborted && error === context.signal.reason;
  const outcome = isInterrupted ? 'not-sent' : 'unknown';
  const exitCode = exitCodeOf(isInterrupted ? { notSent: 1 } : { unknown: 1 });
  if (isInterrupted) say('not sent: interrupted.', context);
  // A fault of this program, so nobody knows what was sent.
  else
    context.stderr.write(
      `plant-store: internal error. Please report it with this stack: ${inspect(error)}\n`,
    );
  if (isJson) printJson({ exitCode, outcome, message }, context);
  return exitCode;
}

/** What is wrong with the input; `undefined` if that is not why the command failed. */
function faultsOf(error: unknown, args: readonly string[]): readonly string[] | undefined {
  if (error instanceof BadInput) return error.faults;
  if (!(error instanceof CommanderError)) return undefined;
  if (error.code === 'commander.help') {
    const asked = args.includes('help') ? args[args.indexOf('help') + 1] : undefined;
    return [
      asked === undefined
        ? 'The command is missing. See plant-store --help.'
        : `unknown command '${oneLine(asked)}'`,
    ];
  }
  // A value after = may be a secret.
  const text = oneLine(error.message.replace(/^error: /, '')).replace(
    /^command-argument value ('.*') is invalid for argument '(.*?)'/,
    '$2 $1 is invalid',
  );
  return [text.replace(/^(unknown option '[^'=]*)=.*?'( \(Did you mean .*\))?$/, "$1'$2")];
}
