import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

import { ReceiverError } from '../errors.js';

const FOLDER = new URL('../../migrations/', import.meta.url);

/** From which version to which the tables of an inbox are brought. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
}

/** Is told before an inbox is brought to another version, which may take minutes. Returns what is called afterwards. */
export type OnUpgrade = (upgrade: Upgrade) => () => void;

/** The steps that make the tables of a database, and bring them from each version to the next. */
export class Migrations {
  /** The versions by which steps end, from the first that an inbox can be migrated from. */
  readonly #versions: readonly number[];

  constructor(private readonly database: 'postgres' | 'sqlite') {
    const pattern = new RegExp(`^${database}-(\\d+)\\.sql$`);
    this.#versions = readdirSync(FOLDER)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((one, other) => one - other);
  }

  /** The version of this receiver. */
  get version(): number {
    return this.#versions.at(-1)!;
  }

  /**
   * The SQL of the steps from a version to that of this receiver; 0 for no tables. `:key_prefix` in it is a random UUID
   * without its last twelve digits: with the id, that is the key of each row from before there were keys.
   */
  from(version: number): string[] {
    const keyPrefix = randomUUID().slice(0, -12);
    return this.#versions
      .filter((next) => next > version)
      .map((next) => readFileSync(new URL(`${this.database}-${next}.sql`, FOLDER), 'utf8'))
      .map((step) => step.replaceAll(':key_prefix', keyPrefix));
  }

  /**
   * Makes sure that an inbox can be migrated.
   *
   * @param place where it is, such as `in data/inbox`
   * @throws ReceiverError `INBOX_UNUSABLE` if its tables are newer, or too old
   */
  requireKnown(version: number, place: string): void {
    if (version === 0 || (version >= this.#versions[0]! && version <= this.version)) return;
    throw unusable(
      place,
      version,
      version > this.version
        ? `, and this receiver knows version ${this.version}. Start a receiver that is as new as the one that made them`
        : ', which is too old. Take it along with "plant-inbox export" of that receiver, and "plant-inbox import" of this one, into another inbox',
    );
  }

  /**
   * For whoever only reads: makes sure that the tables need no step.
   *
   * @throws ReceiverError `INBOX_UNUSABLE`
   */
  requireNewest(version: number, place: string): void {
    if (version === this.version) return;
    throw unusable(place, version, `. Start the receiver, which brings them to version ${this.version}`);
  }
}

/** What a database lacks of what migrations have made, or only its tables: what they have is then missing too. */
export function lackingOf(needed: readonly string[], found: readonly string[]): string[] {
  const there = new Set(found);
  const lacking = needed.filter((object) => !there.has(object));
  const tables = lacking.filter((object) => object.startsWith('table '));
  return tables.length > 0 ? tables : lacking;
}

function unusable(place: string, version: number, advice: string): ReceiverError {
  return new ReceiverError('INBOX_UNUSABLE', `The inbox ${place} has tables of version ${version}${advice}.`);
}
