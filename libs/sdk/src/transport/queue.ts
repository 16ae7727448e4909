/** A place in a queue. */
export class Place<Value> {
  readonly value: Value;
  #previous: Place<Value> = this;
  #next: Place<Value> = this;

  constructor(value: Value) {
    this.value = value;
  }

  get next(): Place<Value> {
    return this.#next;
  }

  /** Takes the place before another one. */
  join(before: Place<Value>): void {
    this.#previous = before.#previous;
    this.#next = before;
    this.#previous.#next = this;
    before.#previous = this;
  }

  /** Leaves the queue. Nothing happens if it has left already. */
  leave(): void {
    this.#previous.#next = this.#next;
    this.#next.#previous = this.#previous;
    this.#previous = this;
    this.#next = this;
  }
}

/** First in, first out. Leaving from the middle takes no longer with a million in the queue. */
export class Queue<Value> {
  /** It is before the first place and behind the last one. */
  readonly #ends = new Place<Value | undefined>(undefined);

  get isEmpty(): boolean {
    return this.#ends.next === this.#ends;
  }

  /** Adds a value at the end. */
  add(value: Value): Place<Value | undefined> {
    const place = new Place<Value | undefined>(value);
    place.join(this.#ends);
    return place;
  }

  /** Removes the first value. `undefined` if there is none. */
  shift(): Value | undefined {
    const first = this.#ends.next;
    first.leave();
    return first.value;
  }
}
