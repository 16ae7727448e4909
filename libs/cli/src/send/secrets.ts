import { BadInput, type CommandContext } from '../context.js';
import { readInputFile } from '../input.js';

/** A secret that the command needs, and where it can be. */
interface Secret {
  readonly name: string;
  /** The option with the path of its file. */
  readonly option: string;
  /** The environment variable with the secret. With `_FILE` appended, the one with the path of its file. */
  readonly variable: string;
}

export const accessTokenSecret: Secret = {
  name: 'access token',
  option: '--access-token-file',
  variable: 'ACCESS_TOKEN',
};

export const signingKeySecret: Secret = {
  name: 'signing key',
  option: '--signing-key-file',
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
 * @throws BadInput if there is none. The secret is in no message.
 */
export async function findSecret(
  { name, option, variable }: Secret,
  file: string | undefined,
  { environment, signal }: CommandContext,
): Promise<FoundSecret> {
  const direct = environment[variable];
  if (file === undefined && direct) return { text: direct.trim(), source: variable };
  const path = file ?? environment[`${variable}_FILE`];
  if (!path)
    throw new BadInput(
      `There is no ${name}. Pass its file with ${option}, or set ${variable} or ${variable}_FILE in the environment.`,
    );
  const lines = (await readInputFile(`The ${name} file`, path, signal)).toString().split('\n');
  const text = lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#'));
  if (text === undefined) throw new BadInput(`The ${name} file ${path} contains no ${name}.`);
  return { text, source: path };
}
