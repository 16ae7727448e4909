import type { TokenSyntax } from '../options/read-access-token.js';
import { BadInput } from './bad-input.js';
import { readInputFile } from './read-input-file.js';

/** A secret that the command needs, and the places where it may be. */
export interface Secret {
  /** What it is called in messages, and what one of it in a file is called. */
  readonly name: string;
  readonly noun: string;
  /** The option that names its file. */
  readonly option: string;
  /** The variable of the environment that holds it; with `_FILE` behind it, the one that names its file. */
  readonly variable: string;
}

/** The access token. */
export const accessTokenSecret: Secret = {
  name: 'access token',
  noun: 'token',
  option: 'access-token-file',
  variable: 'ACCESS_TOKEN',
};

/** The key of the signature. */
export const signingKeySecret: Secret = {
  name: 'signing key',
  noun: 'key',
  option: 'signing-key-file',
  variable: 'PLANT_STORE_SIGNING_KEY',
};

/** A secret, and where it was found, for messages. */
export interface FoundSecret {
  readonly text: string;
  readonly source: string;
}

/**
 * Finds a secret: in the file that its option names, else in the environment.
 *
 * @throws BadInput where there is none; what was read is in no message.
 */
export async function findSecret(
  secret: Secret,
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FoundSecret> {
  const { name, option, variable } = secret;
  if (file) return fromFile(secret, file, signal);
  const direct = environment[variable];
  if (direct) return { text: direct.trim(), source: variable };
  const named = environment[`${variable}_FILE`];
  if (named) return fromFile(secret, named, signal);
  throw new BadInput(
    `There is no ${name}: name its file with --${option}, or set ${variable} or ${variable}_FILE in the ` +
      'environment.',
  );
}

async function fromFile({ name, noun }: Secret, path: string, signal: AbortSignal): Promise<FoundSecret> {
  const content = (await readInputFile(`The ${name} file`, path, signal)).toString('utf8');
  const text = content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'));
  if (text === undefined) throw new BadInput(`The ${name} file ${path} holds no ${noun}.`);
  return { text, source: path };
}

/**
 * Holds what was found to the syntax of an access token.
 *
 * @throws BadInput where it isn't one.
 */
export function checkAccessToken(found: FoundSecret, syntax: TokenSyntax): FoundSecret {
  if (syntax.matches(found.text)) return found;
  throw new BadInput(
    `What ${found.source} holds is not an access token: it must consist of ${syntax.description}.`,
  );
}
