import { type PreparedResponse, prepareResponse } from '../http/response.js';

/** Nothing that is served here may be shown inside another page, read by one, or taken for another media type. */
export const PROTECTION: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

export const NO_CONTENT = protect(prepareResponse(204));

export function jsonResponse(
  status: number,
  value: unknown,
  fields?: Readonly<Record<string, string>>,
): PreparedResponse {
  const text = JSON.stringify(value);
  return protect(prepareResponse(status, { mediaType: 'application/json', text }), fields);
}

export function textResponse(
  status: number,
  text: string,
  mediaType = 'text/plain; charset=utf-8',
): PreparedResponse {
  return protect(prepareResponse(status, { mediaType, text }));
}

/** @param fields with `content-type`; they replace those of the protection */
export function bytesResponse(content: Buffer, fields: Readonly<Record<string, string>>): PreparedResponse {
  return {
    status: 200,
    fields: { ...PROTECTION, ...fields, 'content-length': String(content.length) },
    content,
  };
}

function protect(prepared: PreparedResponse, fields?: Readonly<Record<string, string>>): PreparedResponse {
  return { ...prepared, fields: { ...PROTECTION, ...fields, ...prepared.fields } };
}
