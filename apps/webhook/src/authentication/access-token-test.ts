import { ACCESS_TOKEN_PATTERN, type TokenFormat } from '@plant-store/contract';

/** Whether something can be an access token: one of RFC 6750, and of the format if there is one (`token-format`). */
export function accessTokenTest(format: TokenFormat | undefined): (text: string) => boolean {
  if (format === undefined) return (text) => ACCESS_TOKEN_PATTERN.test(text);
  const pattern = new RegExp(format.pattern);
  return (text) => ACCESS_TOKEN_PATTERN.test(text) && pattern.test(text);
}
