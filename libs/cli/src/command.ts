import { inspect } from 'node:util';
import { faultOf, outputOption, refuseTwice, setUp } from '@plant-store/command/command-line';
import { Command, CommanderError, Option } from 'commander';
import {
  BadInput,
  type CommandContext,
  CommandFailed,
  exitCodes,
  helpEnd,
  printJson,
  say,
} from './context.js';
import { addOutboxCommands } from './outbox/outbox-commands.js';
import type { RelayValues } from './outbox/relay-command.js';
import type { SendValues } from './send/run-send.js';
import { addSenderOptions, defaultOf, wholeNumber } from './send/sender-options.js';

/** Runs a command line and returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    let exitCode: number = exitCodes.acknowledged;
    const program = createProgram(context, (code) => (exitCode = code));
    refuseTwice(program, ['--header']);
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, args, context);
  }
}

/** The commands of `plant-store`. What a command needs is imported when it runs. */
function createProgram(context: CommandContext, exitWith: (code: number) => void): Command {
  const program = setUp(new Command('plant-store'), new URL('../package.json', import.meta.url))
    .description('Sends the New Plant notification of a plant store, and looks after an outbox.')
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      // reportError says it.
      writeErr: () => {},
    })
    .addHelpText('after', helpEnd([`send plant.json ${SEND_EXAMPLE}`, 'outbox status']));
  addSend(program, context, exitWith);
  addOutboxCommands(program, context);
  addRelay(program, context);
  return program;
}

function addSend(program: Command, context: CommandContext, exitWith: (code: number) => void): void {
  const { given } = context;
  const { 'event-identity': identity, 'media-type': mediaType, retry, signing } = given;
  const attempts = retry?.delays.length ? `up to ${retry.delays.length + 1} attempts` : 'one attempt';
  const send = program
    .command('send')
    .summary('send a plant')
    .description(
      `Sends a content as the New Plant notification, unchanged, in ${attempts} (question retry) unless --retry says more.`,
    )
    .argument('[file]', 'file with the content; - for standard input')
    .option('--content <text>', 'the content itself, which every user of this machine can see')
    .option('--content-type <type>', `media type of the content ${defaultOf('media-type', mediaType)}`);
  if (identity !== undefined && 'header' in identity)
    send.option('--event-id <id>', 'identifier of the event (required)');
  addSenderOptions(send, given)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${ABOUT_TOKEN}${signing === undefined ? '' : ABOUT_KEY}${helpEnd([`send plant.json ${SEND_EXAMPLE}`], SEND_EXIT_CODES)}`,
    )
    .action(async (file: string | undefined, values: SendValues) => {
      const { runSend } = await import('./send/run-send.js');
      exitWith(await runSend(file, values, context));
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
      `${ABOUT_RETRY}${helpEnd(['relay --base-url https://receiver.example --method POST --retry 10'])}`,
    )
    .action(async (values: RelayValues) => {
      const { runRelay } = await import('./outbox/relay-command.js');
      await runRelay(values, context);
    });
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

/** Those of `plant-store send`. README.md has them in short. */
const SEND_EXIT_CODES = `
Exit codes:
  0  done: acknowledged
  1  failed: the receiver responded with a status that doesn't acknowledge
  2  the command line, an input or a setting is wrong; nothing was done
  3  not sent: no connection, or interrupted before; it is safe to send again
  4  unknown: no response; the plant may be accepted
  5  the command cannot run: it is not compiled, or Node.js is too old`;

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

/** Reports an error. @returns the exit code */
function reportError(error: unknown, args: readonly string[], context: CommandContext): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.acknowledged;
  const isJson = / (-o|-o |--output[ =])json /.test(` ${args.join(' ')} `);
  const faults = faultsOf(error, args);
  if (faults !== undefined) {
    const exitCode = exitCodes.badInput;
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
  const exitCode = isInterrupted ? exitCodes.notSent : exitCodes.unknown;
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
  if (error.code !== 'commander.help') return [faultOf(error.message)];
  const asked = args.includes('help') ? args[args.indexOf('help') + 1] : undefined;
  return [
    asked === undefined ? 'The command is missing. See plant-store --help.' : `unknown command '${asked}'`,
  ];
}
