import { type AnswerValues, CONTENT_METHODS } from '@plant-store/contract';
import { isInvalidOptions, limitDefaults, type OptionFault } from '@plant-store/sdk';
import { resolveSettings, Sender, type Settings } from '@plant-store/sdk/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { BadInput, collectFaults, type CommandContext } from '../context.js';
import { readInputFile } from '../input.js';
import { proxyFor } from './proxy.js';
import { flagOf, policyOf } from './failures.js';
import { findSecret } from './secrets.js';

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
    .option('--access-token-file <file>', 'file with the access token')
    // Commander would repeat the value in its message.
    .addOption(new Option('--access-token [token]').hideHelp().argParser(refuseToken));
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

function refuseToken(): never {
  throw new BadInput(
    '--access-token does not exist, because every user of this machine can see arguments and the shell keeps them ' +
      'in its history. Write the token to a file and pass --access-token-file, or set ACCESS_TOKEN in the environment.',
  );
}

/** Reads a whole number. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,15}$/.test(text) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

const longestTime = 2_147_483_647;
const milliseconds = wholeNumber(1, longestTime);

/** Adds a header field to those before. The sender checks it. A value may be a secret, and is in no message. */
function headerOf(text: string, others: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^:\s]+):(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new BadInput("--header must be a name and a value, such as 'Name: value'.");
  if (Object.keys(others).some((other) => other.toLowerCase() === name.toLowerCase()))
    throw new BadInput(`--header has ${name} twice.`);
  return { ...others, [name]: value!.trim() };
}

/** A sender with its settings. */
export interface Prepared<Plant> {
  readonly settings: Settings<Plant>;
  readonly sender: Sender<Plant>;
  /** Closes the sender, and the connections to a proxy. */
  readonly close: () => Promise<void>;
}

/**
 * Reads the secrets and files of the options, and opens a sender. It connects when it sends.
 *
 * @param encode Turns what is sent into content and media type.
 * @param faults What is wrong already. The faults found here are added.
 * @throws BadInput with every fault.
 */
export async function prepareSender<Plant>(
  values: SenderValues,
  context: CommandContext,
  encode: unknown,
  faults: string[],
): Promise<Prepared<Plant>> {
  const { given, environment, signal } = context;
  const { signing } = given;
  const { baseUrl, method, header, retry, attemptTimeout, connectTimeout, allowInsecureTransport } = values;
  const readPem = (option: 'ca' | 'cert' | 'key'): Promise<Buffer | undefined> =>
    collectFaults(faults, async () => {
      const path = values[option];
      return path === undefined ? undefined : readInputFile(`The file of --${option}`, path, signal);
    });
  const token = await collectFaults(faults, () =>
    findSecret('access token', 'ACCESS_TOKEN', values.accessTokenFile, context),
  );
  const key =
    signing &&
    (await collectFaults(faults, () =>
      findSecret('signing key', 'PLANT_STORE_SIGNING_KEY', values.signingKeyFile, context),
    ));
  const tls = { ca: await readPem('ca'), cert: await readPem('cert'), key: await readPem('key') };
  const options = {
    ...{ baseUrl, method, encode, attemptTimeout, connectTimeout, allowInsecureTransport, ...tls },
    maxConnections: values.concurrency,
    // That a secret is missing was said already.
    accessToken: token?.text ?? (() => ''),
    ...(signing && { signingKey: key?.text ?? (() => '') }),
    ...(header && { headers: () => header }),
    ...(retry !== undefined && { retry: policyOf(retry) }),
    totalTimeout: values.totalTimeout ?? (retry ? longestTime : undefined),
  };
  const settings = await collectFaults(faults, () => {
    try {
      return resolveSettings<Plant>(given, options);
    } catch (error) {
      if (!isInvalidOptions(error)) throw error;
      throw new BadInput(...error.faults.map((fault) => describe(fault, token?.source)));
    }
  });
  const proxy = await collectFaults(faults, () => settings && proxyFor(settings, environment));
  if (faults.length > 0 || settings === undefined) throw new BadInput(...faults);
  const sender = new Sender({ ...settings, dispatcher: proxy });
  const close = async (): Promise<void> => {
    await sender.close();
    await proxy?.end();
  };
  return { settings, sender, close };
}

/** A fault of a sender's option, with the names of the command line. */
function describe({ option, problem }: OptionFault, tokenSource: string | undefined): string {
  const names: Readonly<Record<string, string>> = {
    accessToken: `The access token in ${tokenSource}`,
    signingKey: 'The signing key',
    maxConnections: '--concurrency',
  };
  const nameOf = (name: string): string => names[name] ?? flagOf(name);
  return `${nameOf(option)} ${problem.replaceAll(/`(\w+)`/g, (_quoted, name: string) => nameOf(name))}`;
}
