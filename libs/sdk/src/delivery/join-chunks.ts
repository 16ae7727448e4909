/** Copies chunks into one array of its own memory. */
export function joinChunks(chunks: readonly Uint8Array[] | undefined, length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks ?? []) {
    joined.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return joined;
}
