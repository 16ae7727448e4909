/** What access tokens look like (question `token-format`). They are compared whole, whatever their format. */
export interface TokenFormat {
  /** The name of the format, as `bearerFormat` has it in OpenAPI. */
  readonly name: string;
  /** Source of a regular expression that a whole token matches, beside the syntax of RFC 6750 §2.1. */
  readonly pattern: string;
}
