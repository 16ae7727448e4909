import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { Fault } from './faults.js';

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
  readonly ca?: Pem;
  /**
   * The certificate that the sender shows to the receiver, then those of the authorities between. It needs `key`.
   *
   * @default none
   */
  readonly cert?: Pem;
  /**
   * The private key of `cert`, without a passphrase.
   *
   * @default none
   */
  readonly key?: Pem;
}

type UncheckedTls = { readonly [Name in keyof TlsOptions]?: unknown };

/** Reads `ca` or `cert`, as a list of texts. */
export function readCertificates(name: 'ca' | 'cert', options: UncheckedTls): string[] | undefined {
  if (options[name] === undefined) return undefined;
  const texts = textsOf(options[name]);
  if (!texts?.every(hasCertificates)) throw new Fault(name, 'must be certificates in PEM.');
  if (name === 'cert' && options.key === undefined) throw new Fault(name, 'needs `key`.');
  return texts;
}

/** Reads `key`, as a list of texts. It never becomes part of a fault. */
export function readKey(options: UncheckedTls): string[] | undefined {
  if (options.key === undefined) return undefined;
  const key = textsOf(options.key);
  if (key === undefined || !works({ key })) {
    throw new Fault('key', 'must be a private key in PEM, without a passphrase.');
  }
  if (options.cert === undefined) throw new Fault('key', 'needs `cert`.');
  const cert = textsOf(options.cert);
  // A fault of `cert` alone is reported there.
  if (works({ cert }) && !works({ key, cert })) throw new Fault('key', 'must be the key of `cert`.');
  return key;
}

function textsOf(pem: unknown): string[] | undefined {
  const list: unknown[] = Array.isArray(pem) ? pem : [pem];
  const texts = list.map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString('latin1') : one));
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts : undefined;
}

function hasCertificates(text: string): boolean {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    return certificates.map((certificate) => new X509Certificate(certificate)).length > 0;
  } catch {
    return false;
  }
}

function works(options: SecureContextOptions): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}
