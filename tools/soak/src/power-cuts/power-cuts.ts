import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { loadOpenInbox, type OpenInbox } from '../built-inbox.js';
import { type DiskRecord, diskRecords } from '../disk-journal.js';
import { Disk, type DiskState, writeState } from '../disk.js';
import { randomCut } from '../power-cut.js';
import { Random } from '../random.js';
import { JOURNAL, type RecorderArguments, runRecorder } from '../recording/run-recorder.js';
import { type Case, casesOf } from './cases.js';
import { check } from './check.js';
import { Promises } from './promises.js';

/** Of what is recorded, the folder of the inbox: the recorder makes both folders. */
const INBOX = join('data', 'inbox');

/** How many processes have an inbox one after the other. */
const LIVES = 3;

/** About so many states are made of one inbox. */
const STATES_PER_INBOX = 1_500;

const MIN_INBOXES = 2;

/** Turns of a recorder. */
const TURNS = 50;

/** A fault of the inbox that the states must show. */
export type PlantedFault = 'no flush' | 'no flush of the log' | 'acknowledged before the flush';

/** How states are made and checked. */
export interface PowerCutOptions {
  /** For files. Faster if it is in memory. */
  readonly folder: string;
  /** The library that reports writes. */
  readonly diskJournal: string;
  readonly states: number;
  readonly seed: number;
  readonly plantedFault?: PlantedFault;
  /** Called after each state. */
  readonly onState?: (result: PowerCutResult) => void;
}

/** What was found. */
export interface PowerCutResult {
  states: number;
  /** How many states were made in each way. */
  readonly ways: Map<string, number>;
  /** How many deliveries were acknowledged, added up over all states. */
  acknowledged: number;
  lost: number;
  /** States in which a promise is broken. */
  broken: number;
  /** What is broken in the first such state. Its files are in the folder `broken`. */
  first: string | undefined;
}

/**
 * Records what processes write that use an inbox, makes states that a power cut could leave, and opens each with the
 * built receiver's code.
 */
export async function cutPower(options: PowerCutOptions): Promise<PowerCutResult> {
  const random = new Random(options.seed);
  const result: PowerCutResult = {
    states: 0,
    ways: new Map(),
    acknowledged: 0,
    lost: 0,
    broken: 0,
    first: undefined,
  };
  const openInbox = await loadOpenInbox();
  const inboxes = Math.max(MIN_INBOXES, Math.round(options.states / STATES_PER_INBOX));
  for (let left = inboxes; left > 0; left -= 1) {
    const states = Math.round((options.states - result.states) / left);
    await new PowerCuts(options, openInbox, random.fork(), result).run(states);
  }
  return result;
}

/** The life of one inbox. */
class PowerCuts {
  readonly #options: PowerCutOptions;
  readonly #openInbox: OpenInbox;
  readonly #random: Random;
  readonly #result: PowerCutResult;
  readonly #recorded: string;
  readonly #disk: Disk;
  readonly #promises = new Promises();

  constructor(options: PowerCutOptions, openInbox: OpenInbox, random: Random, result: PowerCutResult) {
    this.#options = options;
    this.#openInbox = openInbox;
    this.#random = random;
    this.#result = result;
    this.#recorded = join(options.folder, 'recorded');
    rmSync(this.#recorded, { recursive: true, force: true });
    mkdirSync(this.#recorded);
    this.#disk = new Disk(this.#recorded);
  }

  async run(states: number): Promise<void> {
    let made = 0;
    for (let life = 0; life < LIVES; life += 1) {
      const records = Array.from(diskRecords(await this.#record(life)));
      const count = Math.round((states - made) / (LIVES - life));
      await this.#makeStates(records, casesOf(records, count, this.#random));
      made += count;
      this.#disk.compareWithFolder();
      // With a planted fault, the cut may leave an inbox that can't be used.
      const goesOn = this.#options.plantedFault === undefined && this.#random.chance(0.5);
      if (goesOn) this.#disk.become(this.#disk.stateAfter(randomCut(this.#random)));
    }
  }

  /** Lets a process use the inbox, and returns its journal. */
  async #record(life: number): Promise<Buffer> {
    const { folder, diskJournal, plantedFault } = this.#options;
    const journal = join(folder, 'journal');
    const given: RecorderArguments = {
      folder: join(this.#recorded, INBOX),
      seed: this.#random.integer(0, 2 ** 32 - 1),
      first: 1 + life * 100_000,
      turns: TURNS,
      end: this.#random.pick(['close', 'kill']),
      acknowledgesEarly: plantedFault === 'acknowledged before the flush',
    };
    await runRecorder(given, journal, {
      LD_PRELOAD: diskJournal,
      DISK_JOURNAL_FOLDER: this.#recorded,
      DISK_JOURNAL_DESCRIPTOR: String(JOURNAL),
      ...(plantedFault === 'no flush' ? { DISK_JOURNAL_UNFLUSHED: '' } : {}),
      ...(plantedFault === 'no flush of the log' ? { DISK_JOURNAL_UNFLUSHED: '-wal' } : {}),
    });
    return readFileSync(journal);
  }

  async #makeStates(records: readonly DiskRecord[], cases: readonly Case[]): Promise<void> {
    let next = 0;
    for (const one of cases) {
      for (; next < one.before; next += 1) this.#take(records[next]!);
      await this.#makeState(one);
    }
    for (; next < records.length; next += 1) this.#take(records[next]!);
  }

  #take(record: DiskRecord): void {
    this.#disk.take(record);
    if (record.kind === 'note') this.#promises.take(record.bytes.toString());
  }

  async #makeState({ name, cut }: Case): Promise<void> {
    const result = this.#result;
    const state = this.#disk.stateAfter(cut);
    result.states += 1;
    // A folder of its own: a connection to the state before may still be closing.
    const folder = join(this.#options.folder, `state-${result.states}`);
    mkdirSync(folder);
    writeState(folder, state);
    const { lost, wrong } = await check(join(folder, INBOX), this.#promises, this.#openInbox);
    rmSync(folder, { recursive: true, force: true });
    result.ways.set(name, (result.ways.get(name) ?? 0) + 1);
    result.acknowledged += this.#promises.acknowledged;
    result.lost += lost.length;
    if (lost.length + wrong.length > 0) {
      result.broken += 1;
      if (result.first === undefined) this.#keep(state, name, [...lost, ...wrong]);
    }
    this.#options.onState?.(result);
  }

  #keep(state: DiskState, name: string, faults: readonly string[]): void {
    this.#result.first = [`${name}:`, ...faults.slice(0, 10)].join('\n  ');
    const folder = join(this.#options.folder, 'broken');
    mkdirSync(folder);
    writeState(folder, state);
  }
}
