#!/usr/bin/env node
import { parseArgs } from 'node:util';
import type { Command, ExitCode, Output } from './commands/command.js';
import { ToolError } from './read/tool-error.js';

/** Loaded when they are run: what the others need, above all the validator, takes longer than a small comparison. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  diff: async () => (await import('./commands/diff.js')).diff,
  changes: async () => (await import('./commands/changes.js')).changes,
  ledger: async () => (await import('./commands/ledger.js')).ledger,
  validate: async () => (await import('./commands/validate.js')).validate,
  'open-questions': async () => (await import('./commands/open-questions.js')).openQuestionsCommand,
  api: async () => (await import('./commands/api.js')).api,
  answers: async () => (await import('./commands/answers.js')).answersCommand,
};

const output: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

process.exitCode = await run(process.argv.slice(2));

async function run([name, ...rest]: readonly string[]): Promise<ExitCode> {
  if (name === undefined || name === '--help' || name === '-h') {
    (name === undefined ? output.err : output.out)(await overview());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return fail(`unknown command "${name}"; see openapi --help`);
  try {
    return await runCommand(await command(), rest);
  } catch (error) {
    return fail(messageOf(error, name));
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
  return `Usage: openapi COMMAND [options]\n\n${lines.join('\n')}\n\nopenapi COMMAND --help tells about one.\n`;
}

function messageOf(error: unknown, name: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n')[0] ?? text;
  const isUsage =
    error instanceof ToolError ? error.code === 'usage' : codeOf(error).startsWith('ERR_PARSE_ARGS');
  if (isUsage) return `${line}; see openapi ${name} --help`;
  return error instanceof ToolError ? line : `a fault of this tool, please report it: ${line}`;
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function fail(message: string): ExitCode {
  output.err(`openapi: ${message}\n`);
  return 2;
}
