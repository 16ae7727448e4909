import { readdirSync, readFileSync } from 'node:fs';

import { ReceiverError } from '../errors.js';

const FOLDER = new URL('../../migrations/', import.meta.url);

const TOO_OLD =
  ', which is too old. Run "plant-inbox export" of the version that made them, and "plant-inbox import" of this one into another inbox';

/** From which version to which the tables of an inbox are brought. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
}

/** Is told before an inbox is brought to another version, which may take minutes. Returns what is called afterwards. */
export type OnUpgrade = (upgrade: Upgrade) => () => void;

/**
 * The files that make the tables of a database: `sqlite-11.sql` makes those of version 11, and `sqlite-12.sql` would change
 * them to those of version 12.
 */
export class Migrations {
  readonly #versions: readonly number[];

  /** @param folder of the files; a test has another one */
  constructor(
    private readonly database: 'postgres' | 'sqlite',
    private readonly folder = FOLDER,
  ) {
    const pattern = new RegExp(`^${database}-(\\d+)\\.sql$`);
    this.#versions = readdirSync(folder)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((one, other) => one - other);
  }

  /** The version of this receiver. */
  get version(): number {
    return this.#versions.at(-1)!;
  }

  /** The SQL of the steps from a version to that of this receiver; 0 for no tables. */
  from(version: number): string[] {
    return this.#versions
      .filter((next) => next > version)
      .map((next) => readFileSync(new URL(`${this.database}-${next}.sql`, this.folder), 'utf8'));
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
        : TOO_OLD,
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
