import { carriedOut, CONTENT_METHODS } from '@plant-store/contract';
import { InvalidOptionsError, limitDefaults, type OptionFault } from '@plant-store/sdk';
import { openSender, type OpenSender, resolveSettings, type Settings } from '@plant-store/sdk/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { BadInput, type CommandContext } from '../context.js';
import { readInputFile } from '../input.js';
import { proxyFor } from './proxy.js';
import { policyOf, timeOfRetries } from './retry.js';
import { accessTokenSecret, findSecret, type FoundSecret, signingKeySecret } from './secrets.js';

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

/** Where the secrets of a delivery were found, for messages. */
export interface SecretSources {
  readonly token: string;
  /** `undefined` if deliveries are not signed. */
  readonly key?: string | undefined;
}

/** A sender with everything that was read for it. */
export interface Prepared<Plant> {
  readonly settings: Settings<Plant>;
  readonly sender: OpenSender<Plant>;
  readonly secrets: SecretSources;
  /** Closes the sender, and the connections to a proxy. */
  readonly close: () => Promise<void>;
}

/**
 * Adds the options of a sender to a command. What the answers decide has a default; what is open is required.
 *
 * @param others More options.
 * @param adapt Changes each of them before it is added.
 */
export function withSenderOptions(
  command: Command,
  { given }: Pick<CommandContext, 'given'>,
  others: readonly Option[] = [],
  adapt: (option: Option) => Option = (option) => option,
): Command {
  const answered = carriedOut(given);
  const requiredOr = (question: 'base-address' | 'http-method'): string =>
    answered[question] === undefined
      ? `(required: question ${question} is open)`
      : `(default: ${answered[question]})`;
  const attemptTimeout = answered['time-outs']?.response ?? limitDefaults.attemptTimeout;
  const options = [
    new Option('--base-url <url>', `address before the delivery path ${requiredOr('base-address')}`),
    new Option('--method <method>', `HTTP method ${requiredOr('http-method')}`).choices(CONTENT_METHODS),
    new Option('--access-token-file <file>', 'file with the access token'),
    // Commander would repeat the value in its message.
    new Option('--access-token [token]').hideHelp().argParser(() => {
      throw new BadInput(TOKEN_AS_ARGUMENT);
    }),
    ...(answered.signing === undefined
      ? []
      : [new Option('--signing-key-file <file>', 'file with the signing key')]),
    new Option('-H, --header <header>', "header field to add, such as 'Name: value'; repeatable").argParser(
      headerOf,
    ),
    new Option(
      '--retry <count>',
      'send up to so many times again, after 1 s, 2 s, 4 s … 60 s, if there was no connection, or the response was 429 or 503',
    ).argParser(wholeNumber(0, 1_000)),
    new Option('--ca <file>', 'certificates to trust, in PEM, instead of those that Node trusts'),
    new Option('--cert <file>', 'certificate of the sender, in PEM'),
    new Option('--key <file>', 'private key of --cert, in PEM, without a passphrase'),
    new Option(
      '--connect-timeout <ms>',
      `time for connecting (default: ${limitDefaults.connectTimeout})`,
    ).argParser(milliseconds),
    new Option('--attempt-timeout <ms>', `time for one attempt (default: ${attemptTimeout})`).argParser(
      milliseconds,
    ),
    new Option(
      '--total-timeout <ms>',
      `time for a plant with all attempts (default: ${limitDefaults.totalTimeout} or more)`,
    ).argParser(milliseconds),
    new Option('--allow-insecure-transport', 'allow plain HTTP to addresses that are not loopback'),
    ...others,
  ];
  for (const option of options) command.addOption(adapt(option));
  return command;
}

const TOKEN_AS_ARGUMENT =
  '--access-token does not exist, because every user of this machine can see arguments and the shell keeps them ' +
  'in its history. Write the token to a file and pass --access-token-file, or set ACCESS_TOKEN in the environment.';

/** Reads a whole number. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,15}$/.test(text) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

const milliseconds = wholeNumber(1, 2_147_483_647);

/** Adds a header field to those before. The sender checks it. A value may be a secret, and is in no message. */
function headerOf(text: string, others: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^:\s]+):[ \t]*(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new BadInput("--header must be a name and a value, such as 'Name: value'.");
  if (Object.keys(others).some((other) => other.toLowerCase() === name.toLowerCase()))
    throw new BadInput(`--header has ${name} twice.`);
  return { ...others, [name]: value!.trimEnd() };
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
  const { given, accepts, environment, signal } = context;
  const answered = carriedOut(given);
  /** Reads something, and adds its faults to the others. */
  const read = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      faults.push(...error.faults);
      return undefined;
    }
  };
  const readPem = (option: 'ca' | 'cert' | 'key'): Promise<Buffer | undefined> =>
    read(async () => {
      const path = values[option];
      return path === undefined ? undefined : readInputFile(`The file of --${option}`, path, signal);
    });
  const token = await read(() => findSecret(accessTokenSecret, values.accessTokenFile, context));
  const signingKey =
    answered.signing && (await read(() => findSecret(signingKeySecret, values.signingKeyFile, context)));
  const [ca, cert, key] = [await readPem('ca'), await readPem('cert'), await readPem('key')];

  const baseUrl = values.baseUrl ?? answered['base-address'];
  const connection = {
    connectTimeout: values.connectTimeout ?? limitDefaults.connectTimeout,
    maxConnections: values.concurrency ?? limitDefaults.maxConnections,
  };
  const proxy = await read(() => proxyFor(baseUrl, environment, { ...connection, ca, cert, key }));
  const options = {
    ...{ baseUrl: values.baseUrl, method: values.method, encode, accessToken: token?.text },
    ...(answered.signing && { signingKey: signingKey?.text }),
    ...(values.header && { headers: () => values.header! }),
    ...retryOptions(values, answered['time-outs']?.response),
    ...{ attemptTimeout: values.attemptTimeout, maxConnections: connection.maxConnections },
    ...(proxy === undefined
      ? { ca, cert, key, connectTimeout: values.connectTimeout }
      : { dispatcher: proxy }),
    allowInsecureTransport: values.allowInsecureTransport,
  };
  const settings = await read(() => {
    try {
      return resolveSettings<Plant>(given, options, accepts);
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      const found = error.faults.filter(({ option }) => !isReported(option, { token, signingKey }));
      throw new BadInput(...found.map((fault) => describe(fault, token)));
    }
  });
  if (faults.length > 0 || settings === undefined) throw new BadInput(...faults);
  const sender = openSender(settings);
  const close = async (): Promise<void> => {
    await sender.close();
    await proxy?.close();
  };
  return { settings, sender, close, secrets: { token: token!.source, key: signingKey?.source } };
}

/** The retry policy. The default of `totalTimeout` doesn't know how long `--retry` may take. */
function retryOptions({ retry, totalTimeout, attemptTimeout }: SenderValues, answered: number | undefined) {
  if (retry === undefined) return { totalTimeout };
  const oneAttempt = attemptTimeout ?? answered ?? limitDefaults.attemptTimeout;
  const total = Math.max(limitDefaults.totalTimeout, answered ?? 0) + timeOfRetries(retry, oneAttempt);
  return { retry: policyOf(retry), totalTimeout: totalTimeout ?? Math.min(total, 2_147_483_647) };
}

/** Whether a secret is missing, which was said already. */
function isReported(
  option: string,
  found: { readonly token?: unknown; readonly signingKey?: unknown },
): boolean {
  return (
    (option === 'accessToken' && found.token === undefined) ||
    (option === 'signingKey' && found.signingKey === undefined)
  );
}

/** A fault of a sender's option, with the names of the command line. */
function describe({ option, problem }: OptionFault, token: FoundSecret | undefined): string {
  const names: Readonly<Record<string, string>> = {
    accessToken: `The access token in ${token?.source}`,
    signingKey: 'The signing key',
    maxConnections: '--concurrency',
  };
  const nameOf = (name: string): string => names[name] ?? `--${flagOf(name)}`;
  return `${nameOf(option)} ${problem.replaceAll(/`(\w+)`/g, (_quoted, name: string) => nameOf(name))}`;
}

const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
