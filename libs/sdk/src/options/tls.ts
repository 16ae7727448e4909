import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { isUint8Array } from 'node:util/types';
import { invalidOption } from '../errors/invalid-options-error.js';
import type { OptionValues } from './read-options.js';

/** Certificates or a key in PEM: text, its bytes, or several of them. */
export type Pem = string | Uint8Array | readonly (string | Uint8Array)[];

/** How connections to an https address are made. */
export interface TlsOptions {
  /**
   * Certificates of the authorities that may sign the receiver's certificate. They replace those that Node trusts,
   * `NODE_EXTRA_CA_CERTS` included.
   *
   * @default those that Node trusts
   */
  readonly ca?: Pem | undefined;
  /**
   * The certificate that the sender shows to the receiver, then those of the authorities between. It needs `key`.
   *
   * @default none
   */
  readonly cert?: Pem | undefined;
  /**
   * The private key of `cert`, without a passphrase.
   *
   * @default none
   */
  readonly key?: Pem | undefined;
}

/** Reads `ca` or `cert`, as a list of texts. */
export function readCertificates(option: unknown, name: string, { key }: OptionValues): string[] | undefined {
  if (option === undefined) return undefined;
  const texts = textsOf(option);
  if (!texts?.every((cert) => works({ cert }))) throw invalidOption(name, 'must be certificates in PEM.');
  if (name === 'cert' && key === undefined) throw invalidOption(name, 'needs `key`.');
  return texts;
}

/** Reads `key`, as a list of texts. It never becomes part of a fault. */
export function readKey(
  option: unknown,
  name: string,
  { cert: certOption }: OptionValues,
): string[] | undefined {
  if (option === undefined) return undefined;
  const key = textsOf(option);
  if (key === undefined || !works({ key })) {
    throw invalidOption(name, 'must be a private key in PEM, without a passphrase.');
  }
  if (certOption === undefined) throw invalidOption(name, 'needs `cert`.');
  const cert = textsOf(certOption);
  // A fault of `cert` alone is reported there.
  if (works({ cert }) && !works({ key, cert })) throw invalidOption(name, 'must be the key of `cert`.');
  return key;
}

function textsOf(pem: unknown): string[] | undefined {
  const list: unknown[] = Array.isArray(pem) ? pem : [pem];
  const texts = list.map((one) => (isUint8Array(one) ? Buffer.from(one).toString('latin1') : one));
  return texts.length > 0 && texts.every(isText) ? texts : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function works(options: SecureContextOptions): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}
