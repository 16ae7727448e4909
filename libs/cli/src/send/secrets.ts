import { BadInput, type CommandContext } from '../context.js';
import { readInputFile } from '../input.js';

/**
 * Finds a secret: in the file that its option names, else in the environment.
 *
 * @param variable The environment variable with the secret. With `_FILE` appended, the one with the path of its file.
 * @returns The secret, and where it was found, for messages.
 * @throws BadInput if there is none. The secret is in no message.
 */
export async function findSecret(
  name: 'access token' | 'signing key',
  variable: string,
  file: string | undefined,
  { environment, signal }: CommandContext,
): Promise<{ readonly text: string; readonly source: string }> {
  const direct = environment[variable];
  if (file === undefined && direct) return { text: direct.trim(), source: variable };
  const path = file ?? environment[`${variable}_FILE`];
  if (!path)
    throw new BadInput(
      `There is no ${name}. Pass its file with --${name.replace(' ', '-')}-file, or set ${variable} or ${variable}_FILE in the environment.`,
    );
  const lines = (await readInputFile(`The ${name} file`, path, signal)).toString().split('\n');
  const text = lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#'));
  if (text === undefined) throw new BadInput(`The ${name} file ${path} contains no ${name}.`);
  return { text, source: path };
}
