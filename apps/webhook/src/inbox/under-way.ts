import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

import type { Interrupted } from './inbox.js';

/** A slot is two numbers: an id and its failures. An id of 0 means that the slot is free. */
const NUMBERS_PER_SLOT = 2;
const BYTES_PER_SLOT = NUMBERS_PER_SLOT * Float64Array.BYTES_PER_ELEMENT;

/** Slots of a new file, more than the handler has attempts at a time. The file grows if they don't suffice. */
const MIN_SLOTS = 1_024;

/** No slot: a number above those of all slots. */
const CLEAN = 2 ** 30;

/**
 * The deliveries that the handler has, in a small file that outlives the process.
 *
 * The file is written before the handler is called, and not flushed: whatever ends the process, the system keeps what
 * was written. After a power cut it may be older than the inbox, so a slot counts only if the inbox still has its
 * delivery waiting with the same failures. That is also why a delivery that ended is taken out only with the next write.
 */
export class UnderWay {
  readonly #descriptor: number;
  readonly #slotOf = new Map<number, number>();
  /** Found in the file, and not ended. */
  readonly #interrupted = new Set<number>();
  readonly #free: number[] = [];
  #numbers: Float64Array;
  /** The slots that differ from the file lie from the first one to before the second one. */
  #dirtyFrom = CLEAN;
  #dirtyTo = 0;

  /** Opens the file, or creates it. Only one process may have it open. */
  constructor(file: string) {
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT);
    const slots = Math.floor(fstatSync(this.#descriptor).size / BYTES_PER_SLOT);
    this.#numbers = new Float64Array(Math.max(slots, MIN_SLOTS) * NUMBERS_PER_SLOT);
    readSync(this.#descriptor, this.#numbers, 0, slots * BYTES_PER_SLOT, 0);
    for (let slot = this.#slots - 1; slot >= 0; slot -= 1) {
      const id = this.#numbers[slot * NUMBERS_PER_SLOT]!;
      if (id === 0) this.#free.push(slot);
      else {
        this.#slotOf.set(id, slot);
        this.#interrupted.add(id);
      }
    }
    this.#allocate(slots);
  }

  /** How many deliveries the handler has. */
  get size(): number {
    return this.#slotOf.size;
  }

  /** The deliveries that were found in the file and have not ended. */
  interrupted(): Interrupted[] {
    return Array.from(this.#interrupted, (id) => {
      const slot = this.#slotOf.get(id)!;
      return { id, failures: this.#numbers[slot * NUMBERS_PER_SLOT + 1]! };
    });
  }

  /** Whether the delivery was found in the file and has not ended. */
  wasInterrupted(id: number): boolean {
    return this.#interrupted.size > 0 && this.#interrupted.has(id);
  }

  /** The handler gets these. Throws, and has none of them, if the file can't be written. */
  begin(deliveries: readonly Interrupted[]): void {
    for (const { id, failures } of deliveries) {
      if (this.#free.length === 0) this.#grow(this.#slots * 2);
      const slot = this.#free.pop()!;
      this.#slotOf.set(id, slot);
      this.#set(slot, id, failures);
    }
    try {
      this.#write();
    } catch (error) {
      for (const { id } of deliveries) this.end(id);
      throw error;
    }
  }

  /** The handler is done with this one. */
  end(id: number): void {
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return;
    this.#slotOf.delete(id);
    if (this.#interrupted.size > 0) this.#interrupted.delete(id);
    this.#free.push(slot);
    this.#set(slot, 0, 0);
  }

  /**
   * Flushes what has ended to the disk. Otherwise the file could name an attempt that has ended, of a delivery that waits
   * again with the same failures.
   */
  sync(): void {
    this.#write();
    fsyncSync(this.#descriptor);
  }

  /** The process ends in order: the handler has nothing. What was interrupted before stays. */
  clear(): void {
    for (const id of this.#slotOf.keys()) {
      if (!this.#interrupted.has(id)) this.end(id);
    }
    this.#write();
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  get #slots(): number {
    return this.#numbers.length / NUMBERS_PER_SLOT;
  }

  #set(slot: number, id: number, failures: number): void {
    this.#numbers[slot * NUMBERS_PER_SLOT] = id;
    this.#numbers[slot * NUMBERS_PER_SLOT + 1] = failures;
    if (slot < this.#dirtyFrom) this.#dirtyFrom = slot;
    if (slot >= this.#dirtyTo) this.#dirtyTo = slot + 1;
  }

  #write(): void {
    if (this.#dirtyFrom >= this.#dirtyTo) return;
    const start = this.#dirtyFrom * BYTES_PER_SLOT;
    const length = this.#dirtyTo * BYTES_PER_SLOT - start;
    writeSync(this.#descriptor, this.#numbers, start, length, start);
    this.#dirtyFrom = CLEAN;
    this.#dirtyTo = 0;
  }

  #grow(slots: number): void {
    const numbers = new Float64Array(slots * NUMBERS_PER_SLOT);
    numbers.set(this.#numbers);
    for (let slot = slots - 1; slot >= this.#slots; slot -= 1) this.#free.push(slot);
    this.#numbers = numbers;
  }

  /** Takes the space now, so that a disk that is full later doesn't matter. On one that is full now, `begin` fails. */
  #allocate(slots: number): void {
    if (slots >= this.#slots) return;
    try {
      const start = slots * BYTES_PER_SLOT;
      writeSync(this.#descriptor, this.#numbers, start, this.#numbers.byteLength - start, start);
    } catch {
      // See above.
    }
  }
}
