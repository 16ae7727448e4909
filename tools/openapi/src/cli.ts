#!/usr/bin/env node
import { inspect, parseArgs, type ParseArgsConfig } from 'node:util';
import { accepts, answers, plainAnswers } from '@plant-store/contract';
import { acceptFaults, answerFaults, overdueFaults } from '@plant-store/contract/check';
import { readWithout } from './enter/workbench.js';
import { ACCEPTS_SOURCE, ANSWERS_SOURCE, readCodeAnswers } from './gate/code-answers.js';
import { gate, isClean } from './gate/gate.js';
import { impliedBy } from './gate/implied.js';
import { visible } from './markdown.js';
import { renderText } from './report/report.js';
import { committedSources, FILES, readIfThere, readSource, replaceFile } from './repository.js';
import { ToolError } from './tool-error.js';

type Values = Readonly<Record<string, string | boolean | undefined>>;
type ExitCode = 0 | 1 | 2;

interface Command {
  readonly usage: string;
  readonly about: string;
  /** What an option takes, if it takes anything, and what it is. */
  readonly options: Readonly<Record<string, readonly [argument: string, help: string]>>;
  readonly exit: string;
  /** @throws ToolError if it cannot run */
  readonly run: (values: Values) => ExitCode | Promise<ExitCode>;
}

/** What takes long to load is loaded by the command that needs it. */
const COMMANDS: Readonly<Record<string, Command>> = {
  diff: {
    usage: 'openapi diff --baseline FILE --document FILE [options]',
    about:
      'The gate: each fact of the document is specified, missing, contradicted, invented, answered or a stale answer.',
    options: {
      baseline: ['FILE', 'what the specification states; a comment at a value names its section'],
      document: ['FILE', 'the published document'],
      overlay: ['FILE', "the answers as an OpenAPI Overlay 1.0.0; a file that doesn't exist has no answers"],
      answers: [
        'FILE',
        'the answers of the code, as `openapi answers` writes them; both sides must be equal',
      ],
      without: ['FOLDER', 'the document without one answer each, to print missing actions whole'],
    },
    exit: '0 each fact is specified or answered; 1 there are findings; 2 the tool could not run',
    run: diff,
  },
  answers: {
    usage: 'openapi answers [--output FILE]',
    about: 'Writes the answers of the code as JSON, for --answers of diff.',
    options: { output: ['FILE', 'the file to write; the standard output by default'] },
    exit: "0 written; 1 an answer can't be carried out, or the time in accepts.ts is over; 2 the tool could not run",
    run: writeAnswers,
  },
  answer: {
    usage: `npm run answer -- --question ID --value VALUE --who TEXT --reason TEXT [options]
       npm run answer -- --question ID --remove`,
    about: `Enters an answer in ${FILES.answers} and ${FILES.overlay}, and writes every generated file.
In a terminal, it asks for what is missing. With --question alone, the actions of an answer that both sides have are
written again.`,
    options: {
      question: ['ID', 'a question of OPEN_QUESTIONS.md'],
      value: ['VALUE', 'as JSON or plain text; leave it out if the code has the answer already'],
      words: ['TEXT', "an answer in words, which the software doesn't carry out"],
      who: ['TEXT', 'who answered'],
      date: ['DATE', 'when, as 2026-01-31; today by default'],
      reason: ['TEXT', 'why, or where to read it'],
      replace: ['', 'replace the answer that is there'],
      remove: ['', 'remove the answer; the question is open again'],
    },
    exit: '0 entered; 1 a step failed, and the output says what to do; 2 the options have faults, and nothing is changed',
    run: enter,
  },
  pages: {
    usage: 'openapi pages [--check]',
    about:
      'Writes OPEN_QUESTIONS.md, docs/reference/api.md, docs/reference/contract-diff.md and docs/reference/answers.md.',
    options: { check: ['', 'only compare'] },
    exit: '0 written or up to date; 1 out of date; 2 the tool could not run',
    run: pages,
  },
  html: {
    usage: 'openapi html --output FILE',
    about: 'Writes the interface and its questions as one page of HTML.',
    options: { output: ['FILE', 'the file to write'] },
    exit: '0 written; 2 the tool could not run',
    async run(values): Promise<ExitCode> {
      const { renderApiHtml } = await import('./pages/pages.js');
      replaceFile(required(values, 'output'), renderApiHtml(committedSources()));
      return 0;
    },
  },
  review: {
    usage: 'npm run review [-- options]',
    about: `Prints what the reviewer of a change has to know: new, changed and withdrawn answers with what they mean, what
changed in the baseline, and what the gate finds. Empty if there is nothing to say.`,
    options: {
      base: [
        'REVISION',
        'what the working tree is compared with; its last commit shared with main by default',
      ],
      format: ['FORMAT', 'markdown (default) or github (annotations)'],
      all: ['', 'without a limit of length'],
    },
    exit: '0 printed; 2 the tool could not run',
    async run(values): Promise<ExitCode> {
      const { review } = await import('./review/review.js');
      const format = values['format'] === 'github' ? 'github' : 'markdown';
      out(await review({ base: optional(values, 'base'), format, all: values['all'] === true }));
      return 0;
    },
  },
};

// A reader that closes the pipe, as `head` does, has read enough. The exit code is the command's.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 2;
  });
}

process.exitCode = await run(process.argv.slice(2));

async function run([name = '', ...args]: readonly string[]): Promise<ExitCode> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const isAsked = ['--help', '-h'].includes(name);
    const usage = `Usage: openapi COMMAND [options]\n\n${Object.keys(COMMANDS).join(', ')}: openapi COMMAND --help lists the options of one.\n`;
    if (isAsked) out(usage);
    else
      fail(name === '' ? usage.trimEnd() : `openapi: unknown command "${visible(name)}"; see openapi --help`);
    return isAsked ? 0 : 2;
  }
  try {
    const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
    for (const [option, [argument]] of Object.entries(command.options))
      options[option] = { type: argument === '' ? 'boolean' : 'string' };
    const values = parseArgs({ args: [...args], options }).values as Values;
    if (values['help'] !== true) return await command.run(values);
    out(helpOf(command));
    return 0;
  } catch (error) {
    // A user's mistake is one line. A fault of this tool also has its stack.
    const { message, code = '' } = error as Error & { code?: string };
    const isUsage = code === 'usage' || code.startsWith('ERR_PARSE_ARGS');
    if (isUsage) fail(`openapi: ${visible(message)}; see openapi ${name} --help`);
    else if (error instanceof ToolError) fail(`openapi: ${visible(message)}`);
    else fail(`openapi: internal error, please report it: ${visible(message)}\n${inspect(error)}`);
    return 2;
  }
}

function helpOf({ usage, about, options, exit }: Command): string {
  const lines = Object.entries(options).map(([option, [argument, help]]) => {
    const name = `--${option} ${argument}`;
    return `  ${name.padEnd(16)}  ${help}`;
  });
  return [`Usage: ${usage}`, about, lines.join('\n'), `Exit: ${exit}.\n`].join('\n\n');
}

/** The gate. */
async function diff(values: Values): Promise<ExitCode> {
  const [overlay, answersFile, folder] = ['overlay', 'answers', 'without'].map((name) =>
    optional(values, name),
  );
  const baseline = readSource(required(values, 'baseline'));
  const document = readSource(required(values, 'document'));
  const code = answersFile === undefined ? undefined : readCodeAnswers(readSource(answersFile));
  const signed = overlay === undefined ? undefined : readIfThere(overlay);
  const report = gate({ baseline, document, overlay: signed, answers: code });
  // A document of an answer that is gone may still lie there.
  const without = [...readWithout(folder)].filter(([question]) => code?.has(question));
  const implied = folder === undefined ? undefined : impliedBy(baseline, document, new Map(without));
  out(await renderText({ report, implied, overlay: overlay ?? 'an overlay' }));
  return isClean(report) ? 0 : 1;
}

async function writeAnswers(values: Values): Promise<ExitCode> {
  const { triedFaults } = await import('./answers/try-schemas.js');
  const today = new Date().toISOString().slice(0, 10);
  const invalid = answerFaults(answers);
  const faults = [
    ...(invalid.length > 0 ? invalid : await triedFaults(answers)).map(
      (fault) => `${ANSWERS_SOURCE}: ${fault}`,
    ),
    ...[...acceptFaults(accepts, answers), ...overdueFaults(accepts, today)].map(
      (fault) => `${ACCEPTS_SOURCE}: ${fault}`,
    ),
  ];
  if (faults.length > 0) {
    fail(faults.join('\n'));
    return 1;
  }
  const text = `${JSON.stringify(plainAnswers(answers), null, 2)}\n`;
  const file = optional(values, 'output');
  if (file === undefined) out(text);
  else replaceFile(file, text);
  return 0;
}

async function enter(values: Values): Promise<ExitCode> {
  const { enterAnswer } = await import('./enter/enter.js');
  const { askForRest, parseValue } = await import('./enter/options.js');
  const [value, words] = [optional(values, 'value'), optional(values, 'words')];
  const request = {
    question: optional(values, 'question') ?? '',
    value: words === undefined ? value && parseValue(value) : { inWords: words },
    who: optional(values, 'who'),
    date: optional(values, 'date') ?? new Date().toLocaleDateString('sv'),
    reason: optional(values, 'reason'),
    replace: values['replace'] === true,
    remove: values['remove'] === true,
  };
  if (process.stdin.isTTY)
    await askForRest(request, (id) => id in answers, { input: process.stdin, output: process.stdout });
  // Ctrl-C ends the step that runs. Then everything is put back.
  process.on('SIGINT', () => {});
  const { lines, code } = await enterAnswer(request);
  (code === 2 ? fail : (text: string) => out(`${text}\n`))(lines.join('\n'));
  return code;
}

async function pages(values: Values): Promise<ExitCode> {
  const { GENERATE_PAGES, renderPages, writePages } = await import('./pages/pages.js');
  if (values['check'] !== true) {
    for (const { file, isChanged } of writePages(committedSources()))
      out(`${file}: ${isChanged ? 'written' : 'unchanged'}\n`);
    return 0;
  }
  const stale = renderPages(committedSources()).filter(({ file, text }) => readIfThere(file)?.text !== text);
  for (const { file } of stale) fail(`${file}: out of date. Fix with: ${GENERATE_PAGES}`);
  return stale.length === 0 ? 0 : 1;
}

/** The text of an option, if it was given. */
function optional(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === '') throw new ToolError('usage', `--${name} is empty`);
  return typeof value === 'string' ? value : undefined;
}

/** The text of an option. @throws ToolError `usage` if it was not given */
function required(values: Values, name: string): string {
  const value = optional(values, name);
  if (value === undefined) throw new ToolError('usage', `--${name} is missing`);
  return value;
}

function out(text: string): void {
  process.stdout.write(text);
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
}
