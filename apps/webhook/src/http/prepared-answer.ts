/** An answer that is made once, and sent as often as it is needed. */
export interface PreparedAnswer {
  readonly status: number;
  /** What describes its content, its length among it. A 204 has none (RFC 9110 §8.6). */
  readonly fields: Readonly<Record<string, string>>;
  readonly content: Buffer | undefined;
}

/** Makes an answer, with content or without; text is sent in UTF-8. */
export function prepareAnswer(
  status: number,
  content?: { readonly mediaType: string; readonly text: string },
): PreparedAnswer {
  if (content === undefined)
    return { status, fields: status === 204 ? {} : { 'content-length': '0' }, content: undefined };
  const bytes = Buffer.from(content.text);
  return {
    status,
    fields: { 'content-type': content.mediaType, 'content-length': String(bytes.length) },
    content: bytes,
  };
}
