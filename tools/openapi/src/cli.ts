#!/usr/bin/env node
import { inspect } from 'node:util';
import { answers, stillAccepted } from '@plant-store/contract';
import { answerFaults, overdueFaults, stillAcceptedFaults } from '@plant-store/contract/check';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ANSWERS_SOURCE, STILL_ACCEPTED_SOURCE } from './gate/code-answers.js';
import { isClean } from './gate/gate.js';
import { visible } from './markdown.js';
import type { AnswerOptions } from './enter/request.js';
import { committedSources, FILES, gateOf, makeDocuments, readIfThere, replaceFile } from './repository.js';
import { ToolError } from './tool-error.js';

// A reader that closes the pipe, as `head` does, has read enough. The exit code is the command's.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 2;
  });
}

const program = new Command('openapi')
  .description('Holds the document against the specification, enters answers, and writes the pages.')
  .helpOption('-h, --help', 'print this text')
  .helpCommand(false)
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .showHelpAfterError('openapi --help lists the commands')
  .configureOutput({
    outputError: (text, write) => {
      const lines = text
        .replace(/^error: /, '')
        .trimEnd()
        .split('\n');
      write(`openapi: ${lines.map(visible).join(' ')}\n`);
    },
  })
  .exitOverride();

// What takes long to load is loaded by the command that needs it.

command('diff', 'openapi diff', 'compare the document with the specification and the answers: the gate', {
  more: 'Each fact of the document is specified, missing, contradicted, invented, answered or a stale answer.',
  exit: '0 each fact is specified or answered; 1 there are findings',
}).action(act(diff));

command(
  'answer',
  `npm run answer -- --question ID --value VALUE --who TEXT --reason TEXT
       npm run answer -- --question ID --remove`,
  'enter an answer, or remove it',
  {
    more: `Writes ${FILES.answers}, ${FILES.overlay} and every generated file.
In a terminal, it asks for what is missing. With --question alone, the actions
of an answer that both sides have are written again.`,
    exit: '0 entered; 1 a check fails, and the output says what to do; 2 the options have faults, and nothing is changed',
    options: [
      new Option('--question <id>', 'a question of OPEN_QUESTIONS.md'),
      new Option('--value <value>', 'as JSON or plain text; leave it out if the code has the answer already'),
      new Option('--words <text>', "an answer in words, which the software doesn't carry out").conflicts(
        'value',
      ),
      new Option('--who <text>', 'who answered'),
      new Option('--date <date>', 'when, as 2026-01-31; today by default'),
      new Option('--reason <text>', 'why, or where to read it'),
      new Option('--replace', 'replace the answer that is there'),
      new Option('--remove', 'remove the answer; the question is open again').conflicts([
        ...['value', 'words', 'who', 'date', 'reason', 'replace'],
      ]),
    ],
  },
).action(act(enter));

command('pages', 'openapi pages [--check]', 'write OPEN_QUESTIONS.md and the generated pages of docs', {
  exit: '0 written or up to date; 1 out of date',
  options: [new Option('--check', 'only compare')],
}).action(act(pages));

command('html', 'openapi html --output FILE', 'write the interface and its questions as one page of HTML', {
  exit: '0 written',
  options: [new Option('--output <file>', 'the file to write').makeOptionMandatory()],
}).action(
  act(async ({ output }: { output: string }) => {
    const { renderApiHtml } = await import('./pages/pages.js');
    replaceFile(output, renderApiHtml(committedSources()));
    return 0;
  }),
);

command('review', 'npm run review [-- options]', 'print what the reviewer of a change has to know', {
  more: `New, changed and withdrawn answers with what they mean, what changed in the
baseline, and what the gate finds. Empty if there is nothing to say.`,
  exit: '0 printed',
  options: [
    new Option('--base <revision>', 'compare with its last commit that the working tree has, too').default(
      'main',
    ),
    new Option('--format <format>', 'a page, or annotations').choices(['markdown', 'github']),
    new Option('--all', 'without a limit of length'),
  ],
}).action(
  act(async (options: { base: string; format?: 'markdown' | 'github'; all?: true }) => {
    const { review } = await import('./review/review.js');
    out(await review(options));
    return 0;
  }),
);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = 2;
  // Commander has said it.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  // A user's mistake is one line. A fault of this tool also has its stack.
  else if (error instanceof ToolError) fail(`openapi: ${visible(error.message)}`);
  else
    fail(
      `openapi: internal error, please report it: ${visible((error as Error).message)}\n${inspect(error)}`,
    );
}

/** Adds a command. What is wrong with its options is told with its usage. */
function command(
  name: string,
  usage: string,
  summary: string,
  { more, exit, options = [] }: { more?: string; exit: string; options?: readonly Option[] },
): Command {
  const sentence = `${summary[0]!.toUpperCase()}${summary.slice(1)}.`;
  const added = program
    .command(name)
    .summary(summary)
    .description(more === undefined ? sentence : `${sentence}\n${more}`)
    .configureHelp({ commandUsage: () => usage })
    .addHelpText('after', `\nExit: ${exit.includes('; 2 ') ? exit : `${exit}; 2 the tool could not run`}.`)
    .showHelpAfterError(`Usage: ${usage}\n--help lists the options`);
  for (const option of options) {
    if (option.required && option.argChoices === undefined) option.argParser((text) => textOf(text, options));
    added.addOption(option);
    let isGiven = false;
    if (option.required)
      added.on(`option:${option.name()}`, () => {
        // Only its last value would count.
        if (isGiven) added.error(`error: option '${option.flags}' is given twice.`);
        isGiven = true;
      });
  }
  return added;
}

/** The text of an option. @throws InvalidArgumentError if it is empty, or the next option */
function textOf(text: string, all: readonly Option[]): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.');
  if (all.some(({ long }) => long !== undefined && text.split('=')[0] === long))
    throw new InvalidArgumentError('A value is missing.');
  return text;
}

/** Runs a command, whose result is the exit code. */
function act<Values>(run: (values: Values) => Promise<number>) {
  return async (values: Values): Promise<void> => {
    process.exitCode = await run(values);
  };
}

/** The gate. */
async function diff(): Promise<number> {
  const { triedFaults } = await import('./answers/try-schemas.js');
  const today = new Date().toISOString().slice(0, 10);
  const invalid = answerFaults(answers);
  const faults = [
    ...(invalid.length > 0 ? invalid : await triedFaults(answers)).map(
      (fault) => `${ANSWERS_SOURCE}: ${fault}`,
    ),
    ...[...stillAcceptedFaults(stillAccepted, answers), ...overdueFaults(stillAccepted, today)].map(
      (fault) => `${STILL_ACCEPTED_SOURCE}: ${fault}`,
    ),
  ];
  if (faults.length > 0) {
    fail(faults.join('\n'));
    return 1;
  }
  const { renderText } = await import('./report/report.js');
  const { document, implied } = await makeDocuments();
  const report = gateOf({ ...committedSources(), document });
  out(await renderText({ report, implied, overlay: FILES.overlay }));
  return isClean(report) ? 0 : 1;
}

async function enter(options: AnswerOptions): Promise<number> {
  const { enterAnswer } = await import('./enter/enter.js');
  const { askForRest, requestOf } = await import('./enter/request.js');
  if (process.stdin.isTTY)
    await askForRest(options, (id) => id in answers, { input: process.stdin, output: process.stdout });
  // Ctrl-C ends the step that runs. Then everything is put back.
  process.on('SIGINT', () => {});
  const entered = await enterAnswer(requestOf(options));
  if ('faults' in entered) {
    fail(entered.faults.join('\n'));
    return 2;
  }
  const { lines, report, implied, compiler } = entered;
  out(`${lines.map(visible).join('\n')}\n\n`);
  if (isClean(report) && compiler === '') {
    out(
      'Next: git status, git diff, npm run review, npm test, npm run check, and a version plan (docs/how-to/release.md).\n',
    );
    return 0;
  }
  const { renderText } = await import('./report/report.js');
  if (!isClean(report)) out(`${await renderText({ report, implied, overlay: FILES.overlay })}\n`);
  if (compiler !== '') out(`${compiler}\n\n`);
  out(`The answer is entered. ${isClean(report) ? 'The compiler' : 'The gate'} finds the above.\n`);
  return 1;
}

async function pages({ check = false }: { check?: boolean }): Promise<number> {
  const { GENERATE_PAGES, renderPages, writePages } = await import('./pages/pages.js');
  if (!check) {
    for (const { file, isChanged } of writePages(committedSources()))
      out(`${file}: ${isChanged ? 'written' : 'unchanged'}\n`);
    return 0;
  }
  const stale = renderPages(committedSources()).filter(({ file, text }) => readIfThere(file)?.text !== text);
  for (const { file } of stale) fail(`${file}: out of date. Fix with: ${GENERATE_PAGES}`);
  return stale.length === 0 ? 0 : 1;
}

function out(text: string): void {
  process.stdout.write(text);
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
}
