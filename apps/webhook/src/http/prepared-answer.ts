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
  if (content === undefined) return freeze(status, status === 204 ? {} : { 'content-length': '0' });
  const bytes = Buffer.from(content.text);
  const fields = { 'content-type': content.mediaType, 'content-length': String(bytes.length) };
  return freeze(status, fields, bytes);
}

function freeze(status: number, fields: PreparedAnswer['fields'], content?: Buffer): PreparedAnswer {
  return Object.freeze({ status, fields: Object.freeze(fields), content });
}
