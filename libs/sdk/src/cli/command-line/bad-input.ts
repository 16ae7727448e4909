/** The input of the command is wrong: one line for each fault. */
export class BadInput extends Error {
  readonly faults: readonly string[];

  constructor(...faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}
