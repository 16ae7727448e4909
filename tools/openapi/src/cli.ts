#!/usr/bin/env node
import { inspect, parseArgs } from 'node:util';
import type { Command, ExitCode, Output } from './commands/command.js';
import { ToolError } from './read/tool-error.js';
import { visible } from './read/visible.js';

/** Each is loaded when it runs: the validator and Prettier take longer to load than a small comparison takes. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  diff: async () => (await import('./commands/diff.js')).diff,
  changes: async () => (await import('./commands/changes.js')).changes,
  ledger: async () => (await import('./commands/ledger.js')).ledger,
  validate: async () => (await import('./commands/validate.js')).validate,
  'open-questions': async () => (await import('./commands/open-questions.js')).openQuestionsCommand,
  api: async () => (await import('./commands/api.js')).api,
  enter: async () => (await import('./commands/enter.js')).enterCommand,
  answers: async () => (await import('./commands/answers.js')).answersCommand,
};

/** The longest line of an error. Names of a document, which may be in it, have any length. */
const MAX_LINE = 2000;

const output: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

// A reader that closes the pipe, as `head` does, has read enough. The exit code is the command's.
for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);

process.exitCode = await run(process.argv.slice(2));

async function run([name, ...rest]: readonly string[]): Promise<ExitCode> {
  if (name === undefined || name === '--help' || name === '-h') {
    (name === undefined ? output.err : output.out)(await overview());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    output.err(`openapi: unknown command "${name}"; see openapi --help\n`);
    return 2;
  }
  try {
    return await runCommand(await command(), rest);
  } catch (error) {
    return fail(error, name);
  }
}

async function runCommand(command: Command, args: readonly string[]): Promise<ExitCode> {
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help === true) {
    output.out(command.help);
    return 0;
  }
  return command.run(values, positionals, output);
}

async function overview(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => `  ${name.padEnd(16)}${(await load()).summary}`),
  );
  return `Usage: openapi COMMAND [options]\n\n${lines.join('\n')}\n\nopenapi COMMAND --help lists the options of one.\n`;
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  output.err(`openapi: could not write the output: ${error.code ?? error.message}\n`);
  process.exitCode = 2;
}

/** A user's mistake is one line. A fault of this tool also has its stack. */
function fail(error: unknown, name: string): ExitCode {
  const line = oneLine(error instanceof Error ? error.message : String(error));
  const isUsage = error instanceof ToolError ? error.code === 'usage' : isParseError(error);
  if (isUsage) output.err(`openapi: ${line}; see openapi ${name} --help\n`);
  else if (error instanceof ToolError) output.err(`openapi: ${line}\n`);
  else output.err(`openapi: internal error, please report it: ${line}\n${inspect(error)}\n`);
  return 2;
}

function oneLine(message: string): string {
  const line = visible(message);
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

/** Whether `parseArgs` refused the command line. */
function isParseError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
