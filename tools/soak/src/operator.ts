import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { Ledger } from './ledger.js';
import type { Random } from './random.js';
import type { Subject } from './subject.js';

/** Longest time between two operations, in milliseconds. */
const MAX_PAUSE = 60;

/** Deliveries that are looked at together. */
const LIMIT = 50;

interface Told {
  readonly status: number;
  readonly content: Buffer;
}

/** Somebody who lists, replays, discards, pauses and exports, by the socket in the folder of an inbox. */
export class Operator {
  readonly #subject: Subject;
  readonly #ledger: Ledger;
  readonly #random: Random;
  #isStopped = false;
  #working: Promise<void> | undefined;

  constructor(subject: Subject, random: Random) {
    this.#subject = subject;
    this.#ledger = subject.ledger;
    this.#random = random;
  }

  start(): void {
    this.#working = this.#work();
  }

  /** Waits for the operation under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  /** The handler goes on, if it was paused. */
  async resume(): Promise<void> {
    await this.#change('/handler/resume', {});
  }

  async #work(): Promise<void> {
    const operations = [
      () => this.#replay('parked'),
      () => this.#replay('handled'),
      () => this.#discard(),
      () => this.#export(),
      () => this.#change('/handler/pause', {}),
      () => this.resume(),
      () => this.resume(),
    ];
    while (!this.#isStopped) {
      // Where the receiver is killed meanwhile, nobody knows whether it was done.
      await this.#random
        .pick(operations)()
        .catch(() => undefined);
      await pause(this.#random.integer(0, MAX_PAUSE));
    }
  }

  async #replay(state: 'parked' | 'handled'): Promise<void> {
    const ids = await this.#list(state);
    if (ids.length === 0) return;
    if (state === 'handled') this.#subject.expectRepeats();
    const lastId = this.#random.pick(ids);
    await this.#change('/deliveries/replay', { filter: { state, firstId: Math.max(1, lastId - 5), lastId } });
  }

  async #discard(): Promise<void> {
    const ids = await this.#list('parked');
    if (ids.length === 0) return;
    const id = this.#random.pick(ids);
    const { status, content } = await this.#ask('GET', `/deliveries/${id}/content`);
    if (status !== 200 || !this.#ledger.discarding(content)) return;
    const filter = { state: 'parked', firstId: id, lastId: id };
    await this.#change('/deliveries/discard', { filter, reason: 'not needed' });
  }

  /** Reads everything, and compares it with what was sent. */
  async #export(): Promise<void> {
    for (let after: number | null = 0; after !== null && !this.#isStopped;) {
      const { deliveries, next } = (await this.#get(`/deliveries/batch?limit=${LIMIT}&after=${after}`)) as {
        deliveries: { id: number; state: string; content: string }[];
        next: number | null;
      };
      for (const { id, state, content } of deliveries)
        if (state !== 'discarded') this.#ledger.exported(id, Buffer.from(content, 'base64'));
      after = next;
    }
  }

  async #list(state: string): Promise<number[]> {
    const { deliveries } = (await this.#get(`/deliveries?state=${state}&limit=${LIMIT}`)) as {
      deliveries: { id: number }[];
    };
    return deliveries.map(({ id }) => id);
  }

  async #get(path: string): Promise<unknown> {
    return JSON.parse(String((await this.#ask('GET', path)).content));
  }

  async #change(path: string, content: unknown): Promise<void> {
    await this.#ask('POST', path, JSON.stringify(content));
  }

  async #ask(method: string, path: string, content?: string): Promise<Told> {
    const socketPath = join(this.#subject.inbox, 'operations.sock');
    const headers = content === undefined ? {} : { 'content-type': 'application/json' };
    const told = await new Promise<Told>((resolve, reject) => {
      const asking = request({ socketPath, method, path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ status: response.statusCode!, content: Buffer.concat(parts) }));
        response.on('error', reject);
      });
      asking.on('error', reject);
      asking.end(content);
    });
    // A delivery may have been deleted since it was listed.
    if (told.status >= 300 && told.status !== 404)
      this.#ledger.report(`${method} ${path} was answered with ${told.status}: ${String(told.content)}`);
    return told;
  }
}
