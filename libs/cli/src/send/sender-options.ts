import { type AnswerValues, CONTENT_METHODS } from '@plant-store/contract';
import { limitDefaults } from '@plant-store/sdk/internal-light';
import { type Command, InvalidArgumentError } from 'commander';
import { BadInput } from '../context.js';

/** The values of the options that a sender has on the command line. */
export interface SenderValues {
  readonly baseUrl?: string;
  readonly method?: string;
  readonly accessTokenFile?: string;
  readonly signingKeyFile?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly retry?: number;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly connectTimeout?: number;
  readonly attemptTimeout?: number;
  readonly totalTimeout?: number;
  readonly allowInsecureTransport?: true;
  readonly concurrency?: number;
}

/** Adds the options of a sender to a command. What the answers decide has a default; what is open is required. */
export function addSenderOptions(command: Command, given: AnswerValues): Command {
  const attemptTimeout = given['time-outs']?.response ?? limitDefaults.attemptTimeout;
  const method = `HTTP method ${defaultOf('http-method', given['http-method'])}`;
  command
    .option(
      '--base-url <url>',
      `address before the delivery path ${defaultOf('base-address', given['base-address'])}`,
    )
    .addOption(command.createOption('--method <method>', method).choices(CONTENT_METHODS))
    .option('--access-token-file <file>', 'file with the access token');
  if (given.signing) command.option('--signing-key-file <file>', 'file with the signing key');
  return command
    .option('-H, --header <header>', "header field to add, such as 'Name: value'; repeatable", headerOf)
    .option(
      '--retry <count>',
      'send up to so many times again, after 1 s, 2 s, 4 s … 60 s, if there was no connection, or the response was 429 or 503',
      wholeNumber(0, 1_000),
    )
    .option('--ca <file>', 'certificates to trust, in PEM, instead of those that Node trusts')
    .option('--cert <file>', 'certificate of the sender, in PEM')
    .option('--key <file>', 'private key of --cert, in PEM, without a passphrase')
    .option(
      '--connect-timeout <ms>',
      `time for connecting (default: ${limitDefaults.connectTimeout})`,
      milliseconds,
    )
    .option('--attempt-timeout <ms>', `time for one attempt (default: ${attemptTimeout})`, milliseconds)
    .option(
      '--total-timeout <ms>',
      `time for a plant with all attempts (default: ${limitDefaults.totalTimeout} or more; none with --retry)`,
      milliseconds,
    )
    .option('--allow-insecure-transport', 'allow plain HTTP to addresses that are not loopback');
}

/** What the help says of an option that a question decides. */
export function defaultOf(question: string, answer: string | undefined): string {
  return answer === undefined ? `(required: question ${question} is open)` : `(default: ${answer})`;
}

/** Reads a whole number. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,15}$/.test(text) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

/** The longest delay of a timer, in milliseconds. */
export const maxTimerDelay = 2_147_483_647;
const milliseconds = wholeNumber(1, maxTimerDelay);

/** Adds a header field to those before. The sender checks it. A value may be a secret, and is in no message. */
function headerOf(text: string, others: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^:\s]+):(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new BadInput("--header must be a name and a value, such as 'Name: value'.");
  if (Object.keys(others).some((other) => other.toLowerCase() === name.toLowerCase()))
    throw new BadInput(`--header has ${name} twice.`);
  return { ...others, [name]: value!.trim() };
}
