import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { digestOfDelivery, loadOpenInbox, readAll } from '../built-inbox.js';
import { diskRecords } from '../disk-journal.js';
import { type DiskState, readState, writeState } from '../disk.js';
import { Random } from '../random.js';
import { type Note, numberIn, type Outcome } from '../recording/notes.js';
import { type RecorderArguments, runRecorder } from '../recording/run-recorder.js';
import type { Account, Original } from './account.js';
import type { Task } from './accountant.js';
import { damage } from './damages.js';

const ACCOUNTANT = fileURLToPath(new URL('../../dist/damage/accountant.js', import.meta.url));

/** Of one inbox, so many damaged ones are made. */
const DAMAGES_PER_INBOX = 250;

const MIN_INBOXES = 2;

/** Turns of a recorder. */
const TURNS = 80;

/** How inboxes are damaged. */
export interface DamageOptions {
  /** For files. Faster if it is in memory. */
  readonly folder: string;
  readonly inboxes: number;
  readonly seed: number;
  /** Called after each inbox. */
  readonly onInbox?: (result: DamageResult) => void;
}

/** What was found. */
export interface DamageResult {
  inboxes: number;
  opened: number;
  refused: number;
  /** Of all damaged inboxes together. */
  deliveries: number;
  whole: number;
  changed: number;
  reported: number;
  unlisted: number;
  silent: number;
  /** Inboxes with deliveries that are silently missing, or that end the process, and what was done to them. */
  readonly faults: string[];
}

/** Damages inboxes in many ways, and looks for each of their deliveries. */
export async function damageInboxes(options: DamageOptions): Promise<DamageResult> {
  const random = new Random(options.seed);
  const result: DamageResult = {
    inboxes: 0,
    opened: 0,
    refused: 0,
    deliveries: 0,
    whole: 0,
    changed: 0,
    reported: 0,
    unlisted: 0,
    silent: 0,
    faults: [],
  };
  const accountant = new Accountant();
  const originals = Math.max(MIN_INBOXES, Math.round(options.inboxes / DAMAGES_PER_INBOX));
  for (let left = originals; left > 0; left -= 1) {
    const original = await makeOriginal(options.folder, random.fork(), left % 2 === 0 ? 'kill' : 'close');
    const count = Math.round((options.inboxes - result.inboxes) / left);
    for (let made = 0; made < count; made += 1)
      await damageOne(original, options, random.fork(), accountant, result);
  }
  accountant.end();
  return result;
}

interface OriginalInbox {
  readonly state: DiskState;
  readonly deliveries: readonly Original[];
}

/** An inbox that was used for a while by two processes. */
async function makeOriginal(
  folder: string,
  random: Random,
  end: RecorderArguments['end'],
): Promise<OriginalInbox> {
  const inbox = join(folder, 'original');
  const copy = join(folder, 'copy');
  for (const name of [inbox, copy]) rmSync(name, { recursive: true, force: true });
  const ended = new Map<number, Set<Outcome>>();
  for (const [first, how] of [
    [1, 'kill'],
    [100_000, end],
  ] as const) {
    const seed = random.integer(0, 2 ** 32 - 1);
    const given = { folder: inbox, seed, first, turns: TURNS, end: how, acknowledgesEarly: false };
    const notes = join(folder, 'notes');
    await runRecorder(given, notes);
    for (const { bytes } of diskRecords(readFileSync(notes))) {
      const [what, number, kind] = JSON.parse(bytes.toString()) as Note;
      if (what !== 'settling') continue;
      if (!ended.has(number)) ended.set(number, new Set());
      ended.get(number)!.add(kind);
    }
  }
  for (const name of ['inbox.sqlite-shm', 'receiver.lock']) rmSync(join(inbox, name), { force: true });
  const state = readState(inbox);
  cpSync(inbox, copy, { recursive: true });
  const openInbox = await loadOpenInbox();
  const whole = openInbox(copy);
  const deliveries = (await readAll(whole)).map((delivery): Original => ({
    id: delivery.id,
    state: delivery.state,
    digest: digestOfDelivery(delivery),
    ended: [...(ended.get(numberIn(delivery.mediaType)!) ?? [])],
  }));
  await whole.close();
  return { state, deliveries };
}

async function damageOne(
  { state, deliveries }: OriginalInbox,
  { folder, onInbox }: DamageOptions,
  random: Random,
  accountant: Accountant,
  result: DamageResult,
): Promise<void> {
  const damaged = damage(state, random);
  result.inboxes += 1;
  // A folder of its own: a connection to the inbox before may still be closing.
  const inbox = join(folder, `damaged-${result.inboxes}`);
  mkdirSync(inbox);
  writeState(inbox, damaged.state);
  const account = await accountant.account({ folder: inbox, originals: deliveries });
  rmSync(inbox, { recursive: true, force: true });
  result.deliveries += deliveries.length;
  if (account === undefined) result.faults.push(`${damaged.name}: it ends the process`);
  else add(result, account, damaged.name);
  const isFault = account === undefined || account.silent.length > 0;
  if (isFault) keep(folder, damaged.state, result.faults.length);
  onInbox?.(result);
}

function add(result: DamageResult, account: Account, name: string): void {
  if (account.isOpened) result.opened += 1;
  else result.refused += 1;
  result.whole += account.whole;
  result.changed += account.changed;
  result.reported += account.reported;
  result.unlisted += account.unlisted;
  result.silent += account.silent.length;
  if (account.silent.length === 0) return;
  const how = account.isOpened ? 'opened' : 'refused';
  result.faults.push(`${name} (${how}): ${account.silent.length} faults, first: ${account.silent[0]}`);
}

function keep(folder: string, state: DiskState, number: number): void {
  const kept = join(folder, `fault-${number}`);
  mkdirSync(kept);
  writeState(kept, state);
}

/** The process that accounts for inboxes. If one ends it, another takes its place. */
class Accountant {
  #child: ChildProcess | undefined;

  /** Undefined if the process ended. */
  async account(task: Task): Promise<Account | undefined> {
    this.#child ??= fork(ACCOUNTANT, { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
    const child = this.#child;
    return new Promise((resolve) => {
      const onExit = (): void => {
        this.#child = undefined;
        resolve(undefined);
      };
      child.once('exit', onExit);
      child.once('message', (account) => {
        child.off('exit', onExit);
        resolve(account as Account);
      });
      child.send(task);
    });
  }

  end(): void {
    this.#child?.kill('SIGKILL');
  }
}
