import type { SigningScheme } from '@plant-store/contract';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The bytes of a key as it is written in the configuration; undefined if it is written otherwise. */
export function readSigningKey({ prefix, encoding }: SigningScheme['key'], text: string): Buffer | undefined {
  const rest = text.slice(prefix.length);
  if (!text.startsWith(prefix) || rest === '') return undefined;
  return encoding === 'base64' && !BASE64.test(rest) ? undefined : Buffer.from(rest, encoding);
}
