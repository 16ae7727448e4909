/** What can keep the tool from running. Each has one message; none of them is a finding about a document. */
export type ToolErrorCode =
  | 'usage'
  | 'unreadable'
  | 'not-text'
  | 'syntax'
  | 'duplicate-key'
  | 'not-openapi-3.1'
  | 'bad-reference'
  | 'missing-target'
  | 'bad-overlay'
  | 'bad-sources';

/** The tool could not run. `message` is one line that says where and what; the command exits with 2. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(
    readonly code: ToolErrorCode,
    message: string,
  ) {
    super(message);
  }
}
