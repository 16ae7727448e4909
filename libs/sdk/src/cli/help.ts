import type { Answers } from '@plant-store/contract';
import { guardDefaults } from '../options/guard-defaults.js';
import { type CommandOption, type CommandOptionName, commandOptions } from './command-options.js';
import { exitCodeMeanings, exitCodes } from './exit-codes.js';

const questionOf: {
  readonly [Name in CommandOptionName]?: 'base-address' | 'http-method' | 'media-type';
} = {
  'base-url': 'base-address',
  method: 'http-method',
  'content-type': 'media-type',
};

const defaultOf: { readonly [Name in CommandOptionName]?: number } = {
  'connect-timeout': guardDefaults.connectTimeout,
  'attempt-timeout': guardDefaults.attemptTimeout,
  'total-timeout': guardDefaults.totalTimeout,
};

/** The text of `plant-store --help`, under the answers given so far. */
export function help(given: Answers): string {
  const options = Object.entries<CommandOption>(commandOptions).map(([name, option]) =>
    row(
      [`--${name}`, option.value].filter(Boolean).join(' '),
      option.help + note(name as CommandOptionName, given),
    ),
  );
  const codes = Object.entries(exitCodes).map(([name, code]) =>
    row(String(code), exitCodeMeanings[name as keyof typeof exitCodes]),
  );
  return `Usage: plant-store send FILE|- [options]

Delivers the content of FILE, or of standard input for -, as the New Plant notification: its bytes,
unchanged, in one attempt.

Options:
${options.join('\n')}

The access token is never an argument. It is taken from the file that --access-token-file names, else
from the environment: ACCESS_TOKEN, or the file that ACCESS_TOKEN_FILE names. A file holds one token a
line; the first line that is neither empty nor a comment (#) counts.

Exit codes:
${codes.join('\n')}
`;
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(28)}${right}`;
}

function note(name: CommandOptionName, given: Answers): string {
  const id = questionOf[name];
  if (id !== undefined) {
    const answer = given[id];
    return answer === undefined ? ` (required: question ${id} is open)` : ` (default: ${answer})`;
  }
  const milliseconds = defaultOf[name];
  return milliseconds === undefined ? '' : ` (default: ${milliseconds} ms)`;
}
