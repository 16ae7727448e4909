/** A mistake of the person who runs the command. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: 1 | 2,
  ) {
    super(message);
  }
}

/** What a command is given. */
export interface CommandArguments {
  readonly folder: string;
  readonly file: string | undefined;
  readonly handled: boolean;
}

/** Does something with an inbox. Returns the exit code. */
export type Command = (given: CommandArguments) => Promise<number> | number;
