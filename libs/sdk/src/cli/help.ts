import { readFileSync } from 'node:fs';
import type { AnsweredSettings } from '../answers/settings-table.js';
import { defaultTotalTimeout, limitDefaults } from '../options/limits.js';
import { shells } from './completion.js';
import { exitCodeMeanings, exitCodes } from './command-line/exit-codes.js';
import { databaseVariable, outboxHelp } from './outbox/outbox-commands.js';
import { isForLines, type SendOptionName, sendOptionsUnder } from './send/send-options.js';

/** The version of this package. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** The text of `plant-store --help` under the answers given so far. */
export function help(answered: AnsweredSettings): string {
  const rows = (isWanted: (name: SendOptionName) => boolean): string =>
    [...sendOptionsUnder(answered)]
      .filter(([name]) => isWanted(name))
      .map(([name, option]) =>
        row([`--${name}`, option.value].filter(Boolean).join(' '), option.help + note(name, answered)),
      )
      .join('\n');
  const meanings = exitCodeMeanings(answered);
  const codes = Object.entries(exitCodes).map(([name, code]) =>
    row(String(code), meanings[name as keyof typeof exitCodes]),
  );
  return `Usage: plant-store send FILE|- [options]
       plant-store completion ${shells.join('|')}
       plant-store outbox COMMAND

Sends the content of FILE, or of standard input for -, as the New Plant notification. The bytes are sent
unchanged, in ${attempts(answered)}.

Options:
${rows((name) => !isForLines(name))}

Options for a file with many plants, one on each line (NDJSON):
${rows(isForLines)}

The access token is never an argument. It is read from, in this order:
  1. the file of --access-token-file
  2. the environment variable ACCESS_TOKEN
  3. the file that the environment variable ACCESS_TOKEN_FILE names
In a file, the first line that is neither empty nor a comment (#) counts.
${answered.signing === undefined ? '' : aboutSigningKey}
Exit codes:
${codes.join('\n')}
With --ndjson, the exit code is that of the worst line: 4, then 1, 2, 3. Lines that were not read count as not sent.

Commands of plant-store outbox, for the database that ${databaseVariable} names (see plant-store outbox --help):
${outboxHelp}
plant-store completion prints a script for a shell. Load it with: source <(plant-store completion bash)
`;
}

const aboutSigningKey = `
The signing key is read in the same way: from --signing-key-file, PLANT_STORE_SIGNING_KEY or
PLANT_STORE_SIGNING_KEY_FILE.
`;

function attempts({ retry }: AnsweredSettings): string {
  const further = retry?.delays.length ?? 0;
  return further === 0 ? 'one attempt' : `up to ${further + 1} attempts (question retry)`;
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(28)}${right}`;
}

function note(name: SendOptionName, answered: AnsweredSettings): string {
  const attemptTimeout = answered.attemptTimeout ?? limitDefaults.attemptTimeout;
  switch (name) {
    case 'base-url':
      return requiredOr(answered.baseUrl, 'base-address');
    case 'method':
      return requiredOr(answered.method, 'http-method');
    case 'content-type':
      return requiredOr(answered.mediaType, 'media-type');
    case 'connect-timeout':
      return milliseconds(limitDefaults.connectTimeout);
    case 'attempt-timeout':
      return milliseconds(attemptTimeout);
    case 'total-timeout':
      return milliseconds(defaultTotalTimeout(answered.attemptTimeout, attemptTimeout, answered.retry));
    case 'concurrency':
      return ` (default: ${limitDefaults.maxConnections})`;
    default:
      return '';
  }
}

function requiredOr(answer: string | undefined, question: string): string {
  return answer === undefined ? ` (required: question ${question} is open)` : ` (default: ${answer})`;
}

function milliseconds(byDefault: number): string {
  return ` (default: ${byDefault} ms)`;
}
