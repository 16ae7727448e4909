import type { Hash } from 'node:crypto';
import type { Outcome } from '../../errors/plant-store-error.js';

/** What a progress file begins with. */
export interface ProgressHeader {
  /** Size of the file of plants, when its first run began. */
  readonly bytes: number;
  /** Where the plants are delivered. */
  readonly url: string;
}

/** What happened to a line. */
export interface ProgressRecord {
  readonly line: number;
  /** `started` is recorded before a line is sent, the other events after the delivery. */
  readonly event: 'started' | 'acknowledged' | Outcome;
  /** Only with `started`: of the file up to the end of the line. */
  readonly fingerprint?: string | undefined;
}

export function formatHeader({ bytes, url }: ProgressHeader): string {
  return `plant-store progress 1: ${bytes} bytes to ${url}`;
}

export function parseHeader(text: string): ProgressHeader | undefined {
  const [, bytes, url] = /^plant-store progress 1: (\d+) bytes to (\S+)$/.exec(text) ?? [];
  return url === undefined ? undefined : { bytes: Number(bytes), url };
}

export function formatRecord({ line, event, fingerprint }: ProgressRecord): string {
  return fingerprint === undefined ? `${line} ${event}` : `${line} ${event} ${fingerprint}`;
}

const pattern = /^([1-9]\d{0,14}) (?:(started) ([0-9a-f]{16})|(acknowledged|responded|unknown|not-sent))$/;

export function parseRecord(text: string): ProgressRecord | undefined {
  const [, line, started, fingerprint, result] = pattern.exec(text) ?? [];
  if (line === undefined) return undefined;
  return { line: Number(line), event: (started ?? result) as ProgressRecord['event'], fingerprint };
}

/** The beginning of the SHA-256 of what was hashed, in hexadecimal. */
export function fingerprintOf(hash: Hash): string {
  return hash.copy().digest('hex').slice(0, 16);
}
