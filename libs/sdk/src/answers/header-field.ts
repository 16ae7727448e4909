/** A header field of a request. */
export interface HeaderField {
  readonly header: string;
  readonly value: string;
}
