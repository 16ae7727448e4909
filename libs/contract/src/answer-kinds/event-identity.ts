/**
 * Where the identifier of an event stands (question `event-identity`): in a header field, or in JSON content at a
 * JSON Pointer (RFC 6901), as text or a number.
 */
export type EventIdentity = { readonly header: string } | { readonly pointer: `/${string}` };
