/** Whether a media type, with parameters or without, is one of JSON (RFC 8259; RFC 6839 §3.1). */
export function isJsonMediaType(mediaType: string): boolean {
  return /^(?:application\/json|[\w.!#$&^+-]+\/[\w.!#$&^+-]+\+json) *(?:;|$)/i.test(mediaType);
}
