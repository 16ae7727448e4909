import { EXIT_CODES, examplesText, faultOf, refuseTwice, setUp } from '@plant-store/command/command-line';
import { systemReason } from '@plant-store/command/system-reason';
import { answerValues, type AnswerValues } from '@plant-store/contract';
import { type Command, CommanderError, Option } from 'commander';

import { inboxUrl } from '../config/config.js';
import { ReceiverError } from '../errors.js';
import { isClosed } from './batches.js';
import { changeDeliveries, setPaused } from './change.js';
import { type Connection, withConnection } from './connection.js';
import { evidence } from './evidence.js';
import { acts, errors, list, search, show, stats } from './look.js';
import { idOf, idsOf, InboxCommand, textOf } from './options.js';
import { backup, check, exportDeliveries, importDeliveries } from './save.js';
import { tail } from './tail.js';
import { CommandError, type CommandProcess, Terminal } from './terminal.js';
import { tryAnswers } from './try.js';

/**
 * Runs a command line. It reports on standard error if it fails, and sets the exit code of its process: 0 if it was done,
 * 1 if it failed or was done in part, 2 if the command line is wrong.
 *
 * @param itsProcess what it reads, writes and is interrupted by
 * @param given the answers beside which it tries others
 * @throws what nobody but its author can fix
 */
export async function runPlantInbox(
  args: readonly string[],
  itsProcess: CommandProcess = process,
  given: AnswerValues = answerValues,
): Promise<void> {
  const terminal = new Terminal(itsProcess);
  const fail = (message: string, exitCode = 1): void => {
    terminal.report(`plant-inbox: ${message}`);
    terminal.exitCode = exitCode;
  };
  try {
    const program = createProgram(terminal, given);
    await program.parseAsync(withCommand(program, args), { from: 'user' });
  } catch (error) {
    const { message, errno } = error as NodeJS.ErrnoException;
    // Commander has said it.
    if (error instanceof CommanderError) terminal.exitCode = error.exitCode === 0 ? 0 : 2;
    else if (error instanceof CommandError) fail(message, error.exitCode);
    else if (error instanceof ReceiverError) fail(`${message} [${error.code}]`);
    else if (isClosed(error)) terminal.exitCode = 1;
    else if (errno !== undefined) fail(`${systemReason(error)}.`);
    else throw error;
  }
}

/** The commands of `plant-inbox`. A wrong command line is reported, and then it throws CommanderError. */
export function createProgram(terminal: Terminal, given: AnswerValues): Command {
  const program = new InboxCommand('plant-inbox');
  setUp(program, new URL('../../package.json', import.meta.url))
    .description(
      'Looks at the deliveries of a receiver and acts on them. The receiver may be running or stopped.',
    )
    .addOption(
      new Option('--inbox <url>', 'the inbox; a folder may be named without file:')
        .env('INBOX_URL')
        .default('file:./data/inbox'),
    )
    .configureHelp({ ...program.configureHelp(), showGlobalOptions: true })
    .configureOutput({
      // Nobody has to read a help text to its end.
      writeOut: (text) => void terminal.write(text).catch(() => undefined),
      outputError: (text) => terminal.report(`plant-inbox: ${faultOf(text)}`),
    })
    .addHelpText('after', examplesOf('stats', 'errors', 'list --state parked', 'show 4', 'replay --wait'))
    .addHelpText('afterAll', EXIT_CODES);
  /** Calls a command with the terminal, the inbox, its arguments and its options. */
  const on =
    <Args extends unknown[]>(run: (terminal: Terminal, inbox: string, ...args: Args) => Promise<void>) =>
    (...args: Args): Promise<void> =>
      run(terminal, inboxOf(program.opts<{ inbox: string }>().inbox), ...args);
  /** The same, with the inbox opened. */
  const asks = <Args extends unknown[]>(
    ask: (terminal: Terminal, connection: Connection, ...args: Args) => Promise<void>,
  ) =>
    on((_terminal, inbox, ...args: Args) =>
      withConnection(inbox, (opened) => ask(terminal, opened, ...args)),
    );
  const command = (usage: string, summary: string, examples: readonly string[], more = ''): InboxCommand =>
    program
      .command(usage)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}. ${more}`.trim())
      .addHelpText('after', examplesOf(...examples.map((example) => `${usage} ${example}`.trim())));

  const listed = 'list deliveries, the newest first; the default command';
  command('list', listed, ['--state parked --since 2h', '-o json']).chooses().pages().action(asks(list));

  command(
    'search',
    'list deliveries that contain a text, the newest first',
    ["'Rosa canina' --since 2d"],
    'It looks for exactly these characters in contents, header fields, errors and identifiers of events.',
  )
    .argument('<text>', 'of at most 200 characters', textOf(200))
    .chooses()
    .pages()
    .action(asks(search));

  command('errors', 'group what is parked or retrying: since when, how many, why', ['', '-o json'])
    .prints()
    .action(asks(errors));

  const shown = 'show a delivery: state, failed attempts, last act, header fields, content';
  command('show', shown, ['4', '4 -o raw > content'])
    .argument('<id>', 'of the delivery', idOf)
    .prints('raw')
    .action(asks(show));

  command('tail', 'follow new deliveries, one a line, until Ctrl-C', ['', '-o json | jq .mediaType'])
    .prints()
    .action(on(tail));

  command('stats', 'count deliveries by state, and say if the handler is paused', ['', '-o json'])
    .prints()
    .action(asks(stats));

  command(
    'replay',
    'pass deliveries to the handler again: failed ones, or chosen ones',
    ['--wait', '4 7', "--error 'Error: no plant 7'"],
    'It takes parked and retrying ones, unless --state or ids say otherwise. It asks first.',
  )
    .argument('[ids...]', 'of deliveries in any state', idsOf)
    .chooses(['retrying', 'parked', 'handled'])
    .acts()
    .option('--wait', 'until each has had an attempt; exit code 0 if all are handled')
    .option('--yes', "don't ask")
    .prints()
    .action(on(changeDeliveries.bind(undefined, 'replay')));

  command(
    'discard',
    'delete the content of parked deliveries, and keep the reason',
    ["2 --reason 'a test of the sender'"],
    'Name them by id, or choose them with options. It asks first.',
  )
    .argument('[ids...]', 'of parked deliveries', idsOf)
    .chooses(['parked'])
    .acts(true)
    .option('--yes', "don't ask")
    .prints()
    .action(on(changeDeliveries.bind(undefined, 'discard')));

  command(
    'pause',
    'start no further attempt of the handler, until resume',
    ["--reason 'the database moves'"],
    'That holds after a restart, too. Attempts that run go on. Deliveries are still accepted. On PostgreSQL, receivers notice it within a second.',
  )
    .acts()
    .action(asks(setPaused.bind(undefined, 'pause')));

  command('resume', 'let the handler go on after pause', [''])
    .acts()
    .action(asks(setPaused.bind(undefined, 'resume')));

  command('acts', 'list what operators did, and what became of it', ['--limit 5']).pages().action(asks(acts));

  command(
    'export',
    'write deliveries to a new file, or print them, as JSON',
    ['parked.ndjson --state parked'],
    'Each line is one delivery with its content, in base64. The receiver may be running: what it accepts meanwhile is left out.',
  )
    .argument('[file]', 'a new file; without it, standard output')
    .chooses()
    .action(on(exportDeliveries));

  command(
    'import',
    'store exported deliveries in a new inbox',
    ['parked.ndjson --inbox ./data/next'],
    'The inbox must be new, or have no deliveries. The deliveries get new ids and times, and all of them wait for the handler, parked ones too. Discarded ones are left out.',
  )
    .argument('[file]', 'what export has written; without it, standard input')
    .option('--handled', 'import handled deliveries too; they are handled again')
    .action(on(importDeliveries));

  command(
    'backup',
    'copy the inbox into one new file, also while the receiver runs',
    ['inbox.sqlite'],
    'The file has everything that was acknowledged before, and only its owner may read it.',
  )
    .argument('<file>', 'a new file')
    .action(on(backup));

  command(
    'check',
    'look for damage in the inbox, also while the receiver runs',
    [''],
    "It compares each row with the indexes, and says what to do. It doesn't notice other bytes in a content.",
  ).action(on(check));

  command(
    'evidence',
    'show what deliveries say about questions: shapes and counts',
    ['--since 7d'],
    'No value of a header field or of a content is printed. It answers nothing.',
  )
    .chooses()
    .prints()
    .action(on(evidence));

  command(
    'try',
    'count the deliveries that proposed answers would refuse',
    ['--question http-method --answer POST'],
    'The answers that are given hold, too. It writes nothing.',
  )
    .chooses()
    .requiredOption('--question <id>', 'a question of OPEN_QUESTIONS.md; may be repeated', collect)
    .requiredOption('--answer <value>', 'the proposed answer, as JSON or plain text', collect)
    .prints()
    .action(on(tryAnswers.bind(undefined, given)));

  refuseTwice(program, ['--question', '--answer']);
  return program;
}

/** Adds the value of an option that may be repeated. */
const collect = (text: string, before: readonly string[] = []): string[] => [...before, text];

const examplesOf = (...examples: readonly string[]): string => examplesText('plant-inbox', examples);

/** `list` is the default. Commander's own default would take a mistyped command for an argument of it. */
function withCommand({ commands }: Command, args: readonly string[]): readonly string[] {
  const known = ['-h', '--help', '--version', 'help', ...commands.map((command) => command.name())];
  const [, asked] = args[0] === 'help' ? args : [];
  // Commander's own help would print that of all commands, as if nothing was wrong.
  if (asked !== undefined && !known.includes(asked)) throw new CommandError(`unknown command '${asked}'`, 2);
  const isMissing = args[0]?.startsWith('-') !== false && !args.some((arg) => known.includes(arg));
  return isMissing ? ['list', ...args] : args;
}

/**
 * The URL of the inbox that is meant. It may have a password, so no message has it.
 *
 * @throws CommandError
 */
function inboxOf(text: string): string {
  const named = text || 'file:./data/inbox';
  const url = inboxUrl.safeParse(/^[a-z][a-z\d+.-]+:/i.test(named) ? named : `file:${named}`);
  if (url.success) return url.data;
  throw new CommandError(`--inbox, or INBOX_URL, ${url.error.issues[0]!.message}.`, 2);
}
