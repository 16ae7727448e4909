/**
 * A process that uses an inbox for a while, and notes in the journal of its disk what it has promised. It ends at once,
 * or closes the inbox before.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import Database from 'libsql';

import {
  type Batch,
  type BuiltDelivery,
  type BuiltInbox,
  type Counted,
  digestOfDelivery,
  loadOpenInbox,
  type Result,
} from '../built-inbox.js';
import { noteRecord } from '../disk-journal.js';
import { Random } from '../random.js';
import { JOURNAL, type RecorderArguments } from './run-recorder.js';
import { mediaTypeOf, type Note, numberIn, type Operation } from './notes.js';

/** Sizes of contents, the frequent ones more than once: within a page of SQLite, across a few, across many. */
const SIZES = [0, 1, 100, 100, 500, 500, 500, 2_000, 2_000, 6_000, 20_000];

/** Now and then a delivery is so large that the inbox begins a checkpoint soon. */
const LARGE = 700_000;

/** Most deliveries that are accepted, and that are claimed, in one turn. */
const MAX_ACCEPTED = 12;
const MAX_CLAIMED = 20;

const METHODS = ['POST', 'PUT'];
const CODINGS = [null, null, null, 'gzip'];
/** The frequent ones more than once. */
const OPERATIONS: readonly Operation[] = [
  'replay',
  'replay',
  'discard',
  'discard',
  'remove',
  'pause',
  'resume',
  'resume',
];

/** Handled deliveries are deleted soon, in milliseconds. */
const RETENTION = { maxAge: 100, maxBytes: undefined, maxEventAge: 1_000 };

const CHECKPOINTS = ['PASSIVE', 'RESTART', 'TRUNCATE'];

class Recorder {
  readonly #given: RecorderArguments;
  readonly #random: Random;
  readonly #inbox: BuiltInbox;
  /** What waits for the inbox. */
  readonly #pending = new Set<Promise<void>>();
  /** Claimed, and settled later or never. */
  readonly #held: (BuiltDelivery & Counted)[] = [];
  #number: number;
  #lastId = 0;

  constructor(given: RecorderArguments, inbox: BuiltInbox) {
    this.#given = given;
    this.#random = new Random(given.seed);
    this.#inbox = inbox;
    this.#number = given.first;
  }

  async run(): Promise<void> {
    const { turns, end, folder } = this.#given;
    for (const delivery of await this.#inbox.recover(0))
      await this.#inbox.settle(delivery, { kind: 'failed', error: 'cut off', retryAfter: 0 });
    for (let turn = 0; turn < turns; turn += 1) {
      const count = this.#random.integer(0, MAX_ACCEPTED);
      for (let accepted = 0; accepted < count; accepted += 1) this.#track(this.#accept());
      if (this.#random.chance(0.6)) this.#track(this.#handle());
      if (this.#random.chance(0.7)) await Promise.all(this.#pending);
      else await setImmediate();
      if (this.#random.chance(0.04)) checkpoint(folder, this.#random.pick(CHECKPOINTS));
      if (this.#random.chance(0.15)) await this.#operate();
    }
    if (this.#random.chance(0.8)) await Promise.all(this.#pending);
    if (end === 'close') await this.#inbox.close();
  }

  #note(...note: Note): void {
    writeSync(JOURNAL, noteRecord(JSON.stringify(note)));
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  async #accept(): Promise<void> {
    const random = this.#random;
    const number = this.#number;
    this.#number += 1;
    const delivery: BuiltDelivery = {
      method: random.pick(METHODS),
      mediaType: mediaTypeOf(number),
      contentEncoding: random.pick(CODINGS),
      fields: random.chance(0.5) ? [] : [['X-Number', String(number)]],
      // Some events come again.
      eventId: random.chance(0.2) ? `event ${random.integer(1, 200)}` : null,
      content: randomBytes(random.chance(0.02) ? LARGE : random.pick(SIZES)),
    };
    this.#note('sent', number, digestOfDelivery(delivery), delivery.eventId);
    const accepting = this.#inbox.accept(delivery);
    if (this.#given.acknowledgesEarly && delivery.eventId === null) this.#note('acknowledged', number, null);
    const id = await accepting;
    this.#lastId = Math.max(this.#lastId, id);
    this.#note('acknowledged', number, id);
  }

  /** What an operator does, or the retention. */
  async #operate(): Promise<void> {
    const operation = this.#random.pick(OPERATIONS);
    const firstId = this.#random.integer(1, this.#lastId + 1);
    const lastId = firstId + this.#random.integer(0, 30);
    const batch: Batch = { filter: { firstId, lastId }, after: 0, limit: 100 };
    await Promise.all(this.#pending);
    this.#note('operating', operation, firstId, lastId);
    if (operation === 'replay') await this.#inbox.replay(batch);
    else if (operation === 'discard') await this.#inbox.discard(batch, 'not needed');
    else if (operation === 'remove') await this.#inbox.removeExpired(RETENTION);
    else await this.#inbox.setPaused(operation === 'pause');
    this.#note('operated', operation, firstId, lastId);
  }

  async #handle(): Promise<void> {
    const random = this.#random;
    const { deliveries } = await this.#inbox.claim(random.integer(1, MAX_CLAIMED));
    const settling: Promise<void>[] = [];
    for (const delivery of [...deliveries, ...this.#held.splice(0, 2)]) {
      if (random.chance(0.05)) this.#held.push(delivery);
      else settling.push(this.#settle(delivery, this.#draw(delivery)));
    }
    await Promise.all(settling);
  }

  #draw({ failures }: Counted): Result {
    if (this.#random.chance(0.85)) return { kind: 'handled' };
    if (failures >= 2) return { kind: 'parked', error: 'no more' };
    return { kind: 'failed', error: 'not yet', retryAfter: this.#random.pick([0, 0, 20, 100_000]) };
  }

  async #settle(delivery: BuiltDelivery & Counted, result: Result): Promise<void> {
    const number = numberIn(delivery.mediaType)!;
    const failures = delivery.failures + (result.kind === 'handled' ? 0 : 1);
    this.#note('settling', number, result.kind, failures);
    await this.#inbox.settle(delivery, result);
    this.#note('settled', number, result.kind, failures);
  }
}

/** As another program does it that looks at the file: the log begins again, and is written over. */
function checkpoint(folder: string, mode: string): void {
  const database = new Database(join(folder, 'inbox.sqlite'));
  database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(${mode})`);
  database.close();
}

const given = JSON.parse(process.argv[2]!) as RecorderArguments;
const open = await loadOpenInbox();
await new Recorder(given, open(given.folder)).run();
process.kill(process.pid, 'SIGKILL');
