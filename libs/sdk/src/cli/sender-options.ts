import type { AnsweredSettings } from '../answers/answered-settings.js';
import type { UncheckedOptions } from '../options/new-plant-sender-options.js';
import type { ParsedArguments } from './parse-arguments.js';

const flags: Readonly<Record<string, string>> = {
  baseUrl: '--base-url',
  method: '--method',
  encode: '--content-type',
  connectTimeout: '--connect-timeout',
  attemptTimeout: '--attempt-timeout',
  totalTimeout: '--total-timeout',
  eventId: '--event-id',
  signingKey: 'The signing key',
};

/** What the command line calls an option of the sender. */
export function flagOf(option: string): string {
  return flags[option] ?? option;
}

/** The media type of the content: what the command line says, or the answer to the question media-type. */
export function contentTypeOf(
  { values }: ParsedArguments,
  { mediaType }: AnsweredSettings,
): string | undefined {
  return values['content-type'] ?? mediaType;
}

/** The options of a sender that sends bytes unchanged, from the command line; they are not checked yet. */
export function senderOptions(
  parsed: ParsedArguments,
  answered: AnsweredSettings,
  accessToken: () => string,
  signingKey: string | undefined,
): UncheckedOptions<Uint8Array> {
  const { values } = parsed;
  const mediaType = contentTypeOf(parsed, answered);
  return {
    accessToken,
    ...(answered.signing && { signingKey }),
    baseUrl: values['base-url'],
    method: values.method,
    encode: mediaType === undefined ? undefined : (content: Uint8Array) => ({ content, mediaType }),
    connectTimeout: milliseconds(values['connect-timeout']),
    attemptTimeout: milliseconds(values['attempt-timeout']),
    totalTimeout: milliseconds(values['total-timeout']),
    allowInsecureTransport: values['allow-insecure-transport'] !== undefined,
  };
}

function milliseconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
