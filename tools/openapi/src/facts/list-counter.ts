import { formatPlace, type Place } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';

/** How many facts may be listed. A longer list is no help, and doesn't fit in memory. */
const MAX_FACTS = 300_000;

/** How many characters the pointers of their places may have together. */
const MAX_CHARACTERS = 50_000_000;

/** Counts what is listed. What is too much is refused, and never left out. */
export class ListCounter {
  #facts = 0;
  #characters = 0;

  /** @param what happens to the facts: `differ` */
  constructor(readonly what: string) {}

  /** @throws ToolError `too-large` if there is too much to list */
  count(place: Place, pointers: readonly string[]): void {
    this.#facts += 1;
    for (const pointer of pointers) this.#characters += pointer.length;
    if (this.#facts > MAX_FACTS) this.#fail(place, `more than ${MAX_FACTS} facts ${this.what}`);
    if (this.#characters > MAX_CHARACTERS)
      this.#fail(place, `the places of facts that ${this.what} have more than ${MAX_CHARACTERS} characters`);
  }

  #fail(place: Place, problem: string): never {
    throw new ToolError('too-large', `${formatPlace(place)}: too much to list: ${problem}`);
  }
}
