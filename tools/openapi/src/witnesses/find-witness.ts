import type { FactNode } from '../facts/fact.js';
import { pointerOf } from '../read/json-pointer.js';
import { Checker } from './checker.js';
import { type Schema, SchemaStore } from './json-schema.js';
import { withOneChange } from './one-change.js';
import { Patterns } from './patterns.js';
import { isTimeOut, withinTime } from './time-limit.js';
import { ValueMaker } from './values.js';
import { schemaAt } from './ways.js';

/** A change of a schema, seen from the whole message that the schema is a part of. */
export interface SchemaChange {
  /** What the one who writes follows. Undefined: anything may be written. */
  readonly writer: FactNode | undefined;
  /** What the one who reads follows. Undefined: anything is taken. */
  readonly reader: FactNode | undefined;
  /** The steps of a JSON Pointer from the schema of the message to what changed. */
  readonly steps: readonly string[];
}

/** A value that shows a break: the schema of the writer allows it, the schema of the reader doesn't. */
export interface Witness {
  /**
   * The whole message. A part of it, if no message fits the schema of the writer: one that has the value there is
   * refused whatever else is in it.
   */
  readonly value: unknown;
  /** JSON Pointer of the place in the value that the change is about. */
  readonly at: string;
  /** JSON Pointer of the schema of the value, from the schema of the message. */
  readonly schema: string;
  /** Why the reader refuses it, as ajv says it. */
  readonly reason: string;
}

/** How many values are tried for one change. */
const MAX_CANDIDATES = 300;

/** Only a schema that applies itself very often takes so long. After some of these, nothing is looked for any more. */
const TIME_LIMIT_MILLISECONDS = 10_000;
const MAX_TIME_OUTS = 3;

/** Looks for values that one document allows and the other refuses. */
export class WitnessFinder {
  #timeOuts = 0;
  readonly #store = new SchemaStore();
  readonly #patterns = new Patterns();
  readonly #checker = new Checker(this.#store, this.#patterns);
  readonly #values = new ValueMaker(this.#store, this.#checker, this.#patterns);

  /**
   * A value that the writer may send and the reader refuses, and would refuse if nothing else had changed. Undefined if
   * none is found among the values that are tried.
   */
  find(change: SchemaChange): Witness | undefined {
    if (this.#timeOuts >= MAX_TIME_OUTS) return undefined;
    try {
      return withinTime(TIME_LIMIT_MILLISECONDS, () => this.#find(change));
    } catch (error) {
      if (!isTimeOut(error)) throw error;
      this.#timeOuts += 1;
      return undefined;
    }
  }

  #find({ writer, reader, steps }: SchemaChange): Witness | undefined {
    const sides = { schema: this.#store.schemaOf(writer), counterpart: this.#store.schemaOf(reader) };
    const found = this.#search(sides, steps, 0);
    if (found !== 'nothing to send') return found;
    const depth = depthOfPart(steps);
    const part = this.#search(this.#partOf(sides, steps.slice(0, depth)), steps, depth);
    return part === 'nothing to send' ? undefined : part;
  }

  /** @param depth how many of the steps lead to the two schemas */
  #search(
    { schema, counterpart }: Sides,
    allSteps: readonly string[],
    depth: number,
  ): Witness | undefined | 'nothing to send' {
    const steps = allSteps.slice(depth);
    const changed = withOneChange(schema, counterpart, steps, this.#store);
    let [tries, isSent] = [0, false];
    for (const { value, at } of this.#values.forSearch([{ schema, focus: { steps, counterpart } }])) {
      tries += 1;
      if (tries > MAX_CANDIDATES) break;
      if (this.#checker.isValid(schema, value) !== true) continue;
      isSent = true;
      if (this.#checker.isValid(changed, value) !== false) continue;
      const errors = this.#checker.check(counterpart, value);
      if (errors === undefined || errors.length === 0) continue;
      const reason = errors.at(-1)?.message ?? '';
      return { value, at: pointerOf(at), schema: pointerOf(allSteps.slice(0, depth)), reason };
    }
    return isSent || depth > 0 ? undefined : 'nothing to send';
  }

  #partOf({ schema, counterpart }: Sides, steps: readonly string[]): Sides {
    return {
      schema: schemaAt(schema, steps, this.#store),
      counterpart: schemaAt(counterpart, steps, this.#store),
    };
  }
}

interface Sides {
  readonly schema: Schema;
  readonly counterpart: Schema;
}

/** Whoever refuses a value that one of these is about refuses whatever has it. */
const SINGLE = ['additionalProperties', 'items', '$ref'];
const NAMED = ['properties', 'patternProperties', 'prefixItems', 'allOf'];

/** How many of these steps lead to the smallest schema that the change is in, which every message has to fit. */
function depthOfPart(steps: readonly string[]): number {
  let depth = 0;
  for (;;) {
    const keyword = steps[depth] ?? '';
    const next = SINGLE.includes(keyword) ? depth + 1 : NAMED.includes(keyword) ? depth + 2 : steps.length;
    if (next >= steps.length) return depth;
    depth = next;
  }
}
