/**
 * Whether an inbox can keep this as the identifier of an event: well-formed Unicode (RFC 8259 §8.2 has what is not)
 * without U+0000, which text in PostgreSQL cannot hold and libsql cannot read back.
 */
export function isEventId(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}
