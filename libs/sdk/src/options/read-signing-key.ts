import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SigningScheme } from '@plant-store/contract';
import { Fault } from './fault.js';

/** With padding or without it (RFC 4648 §4, §3.2). */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Reads `signingKey` as the answer to the question signing has it written. It never becomes part of a fault. */
export function readSigningKey(scheme: SigningScheme['key'], option: unknown): KeyObject {
  if (option === undefined) throw new Fault('signingKey', 'is missing: deliveries are signed.', 'signing');
  const { prefix, encoding } = scheme;
  const rest = typeof option === 'string' && option.startsWith(prefix) ? option.slice(prefix.length) : '';
  if (rest === '' || (encoding === 'base64' && !base64.test(rest))) {
    throw new Fault('signingKey', `must be ${describe(scheme)}.`, 'signing');
  }
  return createSecretKey(Buffer.from(rest, encoding));
}

function describe({ prefix, encoding }: SigningScheme['key']): string {
  const rest = encoding === 'base64' ? 'base64' : 'text';
  return prefix === '' ? rest : `${prefix} and then ${rest}`;
}
