import { getSystemErrorMap } from 'node:util';

/** What can keep the tool from running. None of these is a finding about a document. */
export type ToolErrorCode = 'unreadable' | 'unwritable' | 'syntax' | 'bad-answers' | 'git';

/** The tool could not run. `message` says where and what; the command exits with 2. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  /** @param options `cause`: the error of Node or of a library that this one stands for */
  constructor(
    readonly code: ToolErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What the system reports, in words. */
export function systemReason(error: unknown): string {
  const { errno = 0, message } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno)?.[1] ?? message;
}
