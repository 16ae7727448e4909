#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { answersCommand } from './commands/answers.js';
import { api } from './commands/api.js';
import { changes } from './commands/changes.js';
import type { Command, ExitCode, Output } from './commands/command.js';
import { diff } from './commands/diff.js';
import { ledger } from './commands/ledger.js';
import { openQuestionsCommand } from './commands/open-questions.js';
import { validate } from './commands/validate.js';
import { ToolError } from './read/tool-error.js';

const COMMANDS: Readonly<Record<string, Command>> = {
  diff,
  changes,
  ledger,
  validate,
  'open-questions': openQuestionsCommand,
  api,
  answers: answersCommand,
};

const output: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

process.exitCode = await run(process.argv.slice(2));

async function run([name, ...rest]: readonly string[]): Promise<ExitCode> {
  if (name === undefined || name === '--help' || name === '-h') {
    (name === undefined ? output.err : output.out)(overview());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return fail(`unknown command "${name}"; see openapi --help`);
  try {
    return await runCommand(command, rest);
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

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(16)}${summary}`);
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
