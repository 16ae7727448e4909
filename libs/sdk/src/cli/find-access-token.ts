import { ACCESS_TOKEN_SYNTAX, isAccessToken } from '../options/read-access-token.js';
import { BadInput } from './bad-input.js';
import { readInputFile } from './read-input-file.js';

/** An access token, and where it was found, for messages. */
export interface FoundAccessToken {
  readonly token: string;
  readonly source: string;
}

/**
 * Finds the access token: in the file that the option names, else in the environment.
 *
 * @throws BadInput where there is none; the token is in no message.
 */
export async function findAccessToken(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FoundAccessToken> {
  if (file) return fromFile(file, signal);
  if (environment['ACCESS_TOKEN']) return check(environment['ACCESS_TOKEN'].trim(), 'ACCESS_TOKEN');
  if (environment['ACCESS_TOKEN_FILE']) return fromFile(environment['ACCESS_TOKEN_FILE'], signal);
  throw new BadInput(
    'There is no access token: name its file with --access-token-file, or set ACCESS_TOKEN or ' +
      'ACCESS_TOKEN_FILE in the environment.',
  );
}

async function fromFile(path: string, signal: AbortSignal): Promise<FoundAccessToken> {
  const text = (await readInputFile('The access token file', path, signal)).toString('utf8');
  const token = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'));
  if (token === undefined) throw new BadInput(`The access token file ${path} holds no token.`);
  return check(token, path);
}

function check(token: string, source: string): FoundAccessToken {
  if (isAccessToken(token)) return { token, source };
  throw new BadInput(
    `What ${source} holds is not an access token: it must consist of ${ACCESS_TOKEN_SYNTAX}.`,
  );
}
