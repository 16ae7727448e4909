#!/usr/bin/env node
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inspect, parseArgs, type ParseArgsConfig } from 'node:util';
import { accepts, answers, plainAnswers } from '@plant-store/contract';
import { acceptFaults, answerFaults, overdueFaults } from '@plant-store/contract/check';
import { ACCEPTS_SOURCE, ANSWERS_SOURCE, readCodeAnswers, writeCodeAnswers } from './gate/code-answers.js';
import { gate, isClean } from './gate/gate.js';
import { impliedBy } from './gate/implied.js';
import { visible } from './markdown.js';
import { readProducers } from './report/producers.js';
import { FORMATS } from './report/report.js';
import { FILES, readIfThere, readSource, replaceFile } from './repository.js';
import { ToolError } from './tool-error.js';

type Values = Readonly<Record<string, string | boolean | undefined>>;
type ExitCode = 0 | 1 | 2;

interface Command {
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** @throws ToolError if it cannot run */
  readonly run: (values: Values) => ExitCode | Promise<ExitCode>;
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean', default: false } as const;

/** What takes long to load is loaded by the command that needs it. */
const COMMANDS: Readonly<Record<string, Command>> = {
  diff: {
    help: `openapi diff --baseline FILE --document FILE [options]

The gate: each fact of the document is specified, missing, contradicted, invented, answered or a stale answer.

  --baseline FILE   what the specification states; a comment at a value names the section that states it
  --document FILE   the published document
  --overlay FILE    the answers as an OpenAPI Overlay 1.0.0; a file that doesn't exist has no answers
  --answers FILE    the answers of the code, as \`openapi answers\` writes them: both sides must be equal
  --without FOLDER  the document without one answer each, as <question>.json: missing actions are printed whole
  --sources FILE    JSON object from JSON Pointer to the file that produces what is there and below
  --fix-with CMD    the command that generates the document; findings name it
  --format FORMAT   text (default), json, markdown or github (annotations)

Exit: 0 each fact is specified or answered; 1 there are findings; 2 the tool could not run.`,
    options: {
      ...{ baseline: TEXT, document: TEXT, overlay: TEXT, answers: TEXT, without: TEXT, sources: TEXT },
      ...{ 'fix-with': TEXT, format: { ...TEXT, default: 'text' } },
    },
    run: diff,
  },
  answers: {
    help: `openapi answers [--output FILE]

Writes the answers of the code as JSON, for --answers of diff.
Exit: 0 written; 1 an answer can't be carried out, or the time in accepts.ts is over; 2 the tool could not run.`,
    options: { output: TEXT },
    run: writeAnswers,
  },
  answer: {
    help: `npm run answer -- --question ID --value VALUE --who TEXT --reason TEXT [options]
       npm run answer -- --question ID --remove

Enters an answer in ${FILES.answers} and ${FILES.overlay}, and writes every generated file.
In a terminal, it asks for what is missing.

  --question ID    a question of OPEN_QUESTIONS.md
  --value VALUE    as JSON or plain text; leave it out if the code has the answer already
  --words TEXT     an answer in words, which the software doesn't carry out
  --who TEXT       who answered
  --date DATE      when, as 2026-01-31; today by default
  --reason TEXT    why, or where to read it
  --replace        replace the answer that is there
  --remove         remove the answer; the question is open again

With --question alone, the actions of an answer that both sides have are written again.

Exit: 0 entered; 1 a step failed, and the output says what to do; 2 the options have faults, and nothing is changed.`,
    options: {
      ...{ question: TEXT, value: TEXT, words: TEXT, who: TEXT, date: TEXT, reason: TEXT },
      ...{ replace: FLAG, remove: FLAG },
    },
    run: enter,
  },
  pages: {
    help: `openapi pages [--check]

Writes OPEN_QUESTIONS.md, docs/API.md, docs/CONTRACT-DIFF.md and docs/answers.md. With --check, it only compares.
Exit: 0 written or up to date; 1 out of date; 2 the tool could not run.`,
    options: { check: FLAG },
    run: pages,
  },
  html: {
    help: `openapi html --output FILE

Writes the interface and its questions as one page of HTML.
Exit: 0 written; 2 the tool could not run.`,
    options: { output: TEXT },
    async run(values): Promise<ExitCode> {
      const { committedSources, renderApiHtml } = await import('./pages/pages.js');
      replaceFile(required(values, 'output'), renderApiHtml(committedSources()));
      return 0;
    },
  },
  review: {
    help: `npm run review [-- options]

Prints what the reviewer of a change has to know: new, changed and withdrawn answers with what they mean, what else
changed in the document, and what the gate finds. Empty if there is nothing to say.

  --base REVISION   what the working tree is compared with; the last commit shared with main by default
  --format FORMAT   markdown (default) or github (annotations)
  --all             without a limit of length

Exit: 0 printed; 2 the tool could not run.`,
    options: { base: TEXT, format: { ...TEXT, default: 'markdown' }, all: FLAG },
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
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.help === true) {
      out(`Usage: ${command.help}\n`);
      return 0;
    }
    return await command.run(values);
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

/** The gate. */
async function diff(values: Values): Promise<ExitCode> {
  const format = optional(values, 'format') ?? 'text';
  if (!isFormat(format))
    throw new ToolError('usage', `--format is not one of ${Object.keys(FORMATS).join(', ')}`);
  const [overlay, answersFile, without] = ['overlay', 'answers', 'without'].map((name) =>
    optional(values, name),
  );
  const baseline = readSource(required(values, 'baseline'));
  const document = readSource(required(values, 'document'));
  const code =
    answersFile === undefined ? undefined : readCodeAnswers(readSource(answersFile).text, answersFile);
  const producerOf = readProducers(optional(values, 'sources'));
  const signed = overlay === undefined ? undefined : readIfThere(overlay);
  const report = gate({ baseline, document, overlay: signed, answers: code });
  const rests = without !== undefined && existsSync(without) ? readdirSync(without) : [];
  const sources = rests
    .map((name) => [basename(name, '.json'), join(without ?? '', name)] as const)
    .filter(([question]) => code?.entered.has(question) === true)
    .map(([question, file]) => [question, readSource(file)] as const);
  const implied = without === undefined ? undefined : impliedBy(baseline, document, new Map(sources));
  const fixWith = optional(values, 'fix-with');
  out(
    await FORMATS[format]({ report, implied, code, overlay: overlay ?? 'an overlay', producerOf, fixWith }),
  );
  return isClean(report) ? 0 : 1;
}

function isFormat(name: string): name is keyof typeof FORMATS {
  return Object.hasOwn(FORMATS, name);
}

function writeAnswers(values: Values): ExitCode {
  const today = new Date().toISOString().slice(0, 10);
  const faults = [
    ...answerFaults(answers).map((fault) => `${ANSWERS_SOURCE}: ${fault}`),
    ...[...acceptFaults(accepts, answers), ...overdueFaults(accepts, today)].map(
      (fault) => `${ACCEPTS_SOURCE}: ${fault}`,
    ),
  ];
  if (faults.length > 0) {
    fail(faults.join('\n'));
    return 1;
  }
  const text = writeCodeAnswers(plainAnswers(answers));
  const file = optional(values, 'output');
  if (file === undefined) out(text);
  else replaceFile(file, text);
  return 0;
}

async function enter(values: Values): Promise<ExitCode> {
  const { enterAnswer } = await import('./enter/enter.js');
  const { askForRest, parseValue } = await import('./enter/options.js');
  const { sourceWorkbench } = await import('./enter/workbench.js');
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
  const { lines, code } = await enterAnswer(request, sourceWorkbench);
  (code === 2 ? fail : (text: string) => out(`${text}\n`))(lines.join('\n'));
  return code;
}

async function pages(values: Values): Promise<ExitCode> {
  const { committedSources, GENERATE_PAGES, renderPages, writePages } = await import('./pages/pages.js');
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
