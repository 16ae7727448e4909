import type { TokenFormat } from '@plant-store/contract';
import type { Logger } from 'pino';

import type { Config } from '../config.js';
import { AccessTokens } from './access-tokens.js';
import { readAccessTokensFile, watchAccessTokensFile } from './access-tokens-file.js';

/**
 * The accepted tokens as the configuration gives them. A file of tokens is read again whenever it changes; while it
 * cannot be used, the tokens that were read last stay.
 *
 * @param format what the tokens of the file have to look like (question `token-format`)
 * @throws ReceiverError `ACCESS_TOKENS_UNREADABLE`
 */
export function openAccessTokens(
  { ACCESS_TOKENS, ACCESS_TOKENS_FILE: file }: Pick<Config, 'ACCESS_TOKENS' | 'ACCESS_TOKENS_FILE'>,
  logger: Logger,
  format?: TokenFormat,
): { readonly accessTokens: AccessTokens; readonly close: () => void } {
  if (file === undefined)
    return { accessTokens: new AccessTokens(ACCESS_TOKENS ?? []), close: () => undefined };

  const accessTokens = new AccessTokens([]);
  const reload = (): void => {
    try {
      const tokens = readAccessTokensFile(file, format);
      accessTokens.replace(tokens);
      logger.info({ file, count: tokens.length }, 'access tokens reloaded');
    } catch (err) {
      logger.error({ err }, 'access tokens not reloaded; those read last stay');
    }
  };
  const close = watchAccessTokensFile(file, reload);
  try {
    accessTokens.replace(readAccessTokensFile(file, format));
  } catch (error) {
    close();
    throw error;
  }
  return { accessTokens, close };
}
