/** Writes down what happens in a simulation, and what was broken first. */
export class Journal {
  readonly lines: string[] = [];
  /** It is kept, because the dispatcher catches what a handler throws. */
  broken: Error | undefined;

  /** @param now the virtual time, in milliseconds */
  constructor(readonly now: () => number) {}

  note(text: string): void {
    this.lines.push(`${this.now()} ms: ${text}`);
  }

  /** A promise was broken. */
  break(text: string): never {
    this.broken ??= new Error(`At ${this.now()} ms: ${text}.`);
    throw this.broken;
  }
}
