/** What access tokens look like (question `token-format`). They are compared whole, whatever their format. */
export interface TokenFormat {
  /** The name of the format, as `bearerFormat` has it in OpenAPI. */
  readonly name: string;
  /**
   * Source of a regular expression that is found in a token, beside the syntax of RFC 6750 §2.1. One that a whole
   * token has to match begins with `^` and ends with `$`.
   */
  readonly pattern: string;
}
