import type { AnsweredSettings } from '../answers/answered-settings.js';
import { defaultTotalTimeout } from '../options/default-total-timeout.js';
import { guardDefaults } from '../options/guard-defaults.js';
import { type CommandOptionName, commandOptionsUnder } from './command-options.js';
import { exitCodeMeanings, exitCodes } from './exit-codes.js';

/** The text of `plant-store --help`, under the answers given so far. */
export function help(answered: AnsweredSettings): string {
  const options = commandOptionsUnder(answered).map(([name, option]) =>
    row([`--${name}`, option.value].filter(Boolean).join(' '), option.help + note(name, answered)),
  );
  const meanings = exitCodeMeanings(answered);
  const codes = Object.entries(exitCodes).map(([name, code]) =>
    row(String(code), meanings[name as keyof typeof exitCodes]),
  );
  return `Usage: plant-store send FILE|- [options]

Delivers the content of FILE, or of standard input for -, as the New Plant notification: its bytes,
unchanged, in ${attempts(answered)}.

Options:
${options.join('\n')}

The access token is never an argument. It is taken from the file that --access-token-file names, else
from the environment: ACCESS_TOKEN, or the file that ACCESS_TOKEN_FILE names. A file holds one token a
line; the first line that is neither empty nor a comment (#) counts.
${answered.signing === undefined ? '' : aboutSigningKey}
Exit codes:
${codes.join('\n')}
`;
}

const aboutSigningKey = `
The signing key is found in the same way: with --signing-key-file, PLANT_STORE_SIGNING_KEY or
PLANT_STORE_SIGNING_KEY_FILE.
`;

function attempts({ retry }: AnsweredSettings): string {
  const further = retry?.delays.length ?? 0;
  return further === 0 ? 'one attempt' : `up to ${further + 1} attempts (question retry)`;
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(28)}${right}`;
}

function note(name: CommandOptionName, answered: AnsweredSettings): string {
  const attemptTimeout = answered.attemptTimeout ?? guardDefaults.attemptTimeout;
  switch (name) {
    case 'base-url':
      return requiredOr(answered.baseUrl, 'base-address');
    case 'method':
      return requiredOr(answered.method, 'http-method');
    case 'content-type':
      return requiredOr(answered.mediaType, 'media-type');
    case 'connect-timeout':
      return milliseconds(guardDefaults.connectTimeout);
    case 'attempt-timeout':
      return milliseconds(attemptTimeout);
    case 'total-timeout':
      return milliseconds(defaultTotalTimeout(answered, attemptTimeout, answered.retry));
    default:
      return '';
  }
}

function requiredOr(answer: string | undefined, question: string): string {
  return answer === undefined ? ` (required: question ${question} is open)` : ` (default: ${answer})`;
}

function milliseconds(standard: number): string {
  return ` (default: ${standard} ms)`;
}
