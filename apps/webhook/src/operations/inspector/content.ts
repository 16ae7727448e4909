import { FORMS } from '../parameters.js';

/** Longest content that is read as JSON, in bytes. */
const JSON_LIMIT = 1_048_576;

/**
 * How much of a content is shown: in bytes, and of JSON in characters, values and levels. The rest can be downloaded. The
 * event loop, which accepts deliveries, writes it.
 */
const TEXT_LIMIT = 65_536;
const HEX_LIMIT = 16_384;
const MOST_VALUES = 1_000;
const LEVELS = 100;

/** As many as fit beside the list, and on a phone. */
const BYTES_IN_LINE = 8;

/** How a content can be shown. */
export type Form = (typeof FORMS)[number];

/** A value of JSON as it was written: a scalar, or what is between two brackets. */
export type Json = string | { readonly open: '{' | '['; readonly items: { name?: string; value: Json }[] };

/** The forms of a content. The first one suits it best. */
export function formsOf(content: Uint8Array): readonly Form[] {
  if (isJson(content)) return ['json', 'text', 'hex', 'base64'];
  return whyNotText(content) === undefined ? ['text', 'hex', 'base64'] : ['hex', 'text', 'base64'];
}

/** How contents begin that are not text, in Latin 1. */
const BINARY = [
  { start: '\x1f\x8b', what: 'gzip' },
  { start: '\x28\xb5\x2f\xfd', what: 'zstd' },
  { start: 'PK\x03\x04', what: 'a ZIP archive' },
  { start: '\x89PNG', what: 'a PNG image' },
  { start: '\xff\xd8\xff', what: 'a JPEG image' },
];

/** Why a content is shown in digits: words that follow `It`; undefined for text. */
export function whyNotText(content: Uint8Array): string | undefined {
  const start = String.fromCharCode(...content.subarray(0, 8));
  const known = BINARY.find((one) => start.startsWith(one.start));
  if (known) return `begins like ${known.what}`;
  const text = exactTextOf(content);
  if (text === undefined) return "isn't UTF-8";
  // eslint-disable-next-line no-control-regex
  return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? 'has control characters' : undefined;
}

/** The text whose UTF-8 a content is; undefined if there is none. */
function exactTextOf(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

const decode = (content: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);

function isJson(content: Uint8Array): boolean {
  if (content.length > JSON_LIMIT) return false;
  const text = exactTextOf(content);
  try {
    return text !== undefined && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** The start of a content as lines. Characters that nobody sees are shown by their number. */
export function linesOf(content: Buffer, form: Exclude<Form, 'json'>): { text: string; isCut: boolean } {
  const limit = form === 'hex' ? HEX_LIMIT : TEXT_LIMIT;
  const start = content.subarray(0, limit);
  const write = {
    text: () => visible(decode(start)),
    hex: () => hexOf(start),
    base64: () => base64Of(start),
  };
  return { text: write[form](), isCut: content.length > limit };
}

const base64Of = (content: Buffer): string => content.toString('base64').replace(/.{76}(?=.)/g, '$&\n');

function hexOf(content: Buffer): string {
  const lines = [];
  for (let start = 0; start < content.length; start += BYTES_IN_LINE) {
    const bytes = content.subarray(start, start + BYTES_IN_LINE);
    const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = bytes.toString('latin1').replace(/[^ -~]/g, '.');
    const offset = start.toString(16).padStart(4, '0');
    lines.push(`${offset}  ${digits.padEnd(BYTES_IN_LINE * 3)} ${characters}`);
  }
  return lines.join('\n');
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/**
 * The first parts of valid JSON. Each name, number and text stays as it was written: `JSON.parse` changes large numbers, and
 * drops the first of two fields with one name. Where something is left out, it ends with `…`.
 */
export function jsonOf(content: Uint8Array): { json: Json; isCut: boolean } {
  const root: Exclude<Json, string> = { open: '[', items: [] };
  const open = [root];
  let name: string | undefined;
  let before = '';
  let values = 0;
  let isCut = false;
  for (const { 0: token, index } of decode(content).matchAll(TOKENS)) {
    if (values > MOST_VALUES || open.length > LEVELS || index > TEXT_LIMIT) {
      isCut = true;
      for (const { items } of open.slice(1)) items.push({ value: '…' });
      break;
    }
    const { items } = open.at(-1)!;
    if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      items.pop();
      values -= 1;
      name = before;
    } else if (token !== ',') {
      const value: Json = token === '{' || token === '[' ? { open: token, items: [] } : start(token);
      items.push(name === undefined ? { value } : { name, value });
      if (typeof value !== 'string') open.push(value);
      name = undefined;
      values += 1;
    }
    isCut ||= token.length > TEXT_LIMIT;
    before = start(token);
  }
  return { json: root.items[0]!.value, isCut };
}

const start = (token: string): string =>
  token.length > TEXT_LIMIT ? `${token.slice(0, TEXT_LIMIT)}…` : token;

/** Characters that nobody sees. A carriage return in front of a line feed is one end of a line. */
const UNSEEN = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]|\r(?!\n)`;

/**
 * The parts of an emoji are seen together. They are looked for first, so that they stay: only where a part follows that
 * nobody sees by itself, since looking takes long.
 */
const EMOJI = String.raw`(?=\p{Emoji}(?:\u200d|\ufe0f|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}]))\p{RGI_Emoji}`;
const EMOJI_OR_UNSEEN = new RegExp(`${EMOJI}|(${UNSEEN})`, 'gv');

/** Shows characters that nobody sees, such as those that turn the direction of text, by their number. */
export const visible = (text: string): string =>
  text.replace(EMOJI_OR_UNSEEN, (part, unseen?: string) =>
    unseen === undefined ? part : `\\u{${part.codePointAt(0)!.toString(16)}}`,
  );

/** Whether a text has no such characters. */
export function isVisible(text: string): boolean {
  for (const [, unseen] of text.matchAll(EMOJI_OR_UNSEEN)) if (unseen !== undefined) return false;
  return true;
}

/** Fields that curl makes itself. */
const MADE_BY_CURL = ['host', 'content-length', 'transfer-encoding', 'connection', 'expect'];

/** Longest content that is a part of the command, in bytes: some shells read no more than 4,096 characters of a line. */
const COMMAND_LIMIT = 512;

/** Printable ASCII that means itself between single quotes in every shell. In fish, a backslash doesn't. */
const PLAIN = /^[ -&(-[\]-~]*$/;

/** A word of a shell, of printable ASCII. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Whether a text is the name of a header field (RFC 9110 §5.6.2). */
const isToken = (text: string): boolean => /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(text);

/** A field as it is stored has a character for each byte; an imported one may have any character. */
const bytesOfField = (text: string): Buffer => Buffer.from(text, /[^\0-\xff]/.test(text) ? 'utf8' : 'latin1');

/**
 * A command that prints bytes, in sh, bash, zsh and fish. Whatever a terminal or a shell acts on is written in octal
 * digits, so that the clipboard has printable ASCII alone.
 */
function printfOf(bytes: Uint8Array): string {
  const format = Array.from(bytes, (byte, at) => {
    const character = String.fromCharCode(byte);
    // The format begins with no dash, which would be an option.
    return PLAIN.test(character) && character !== '%' && (character !== '-' || at > 0)
      ? character
      : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `printf '${format.join('')}'`;
}

/** What is sent again, with its header fields as they are stored. */
export interface Sent {
  readonly method: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly content: Uint8Array;
}

/**
 * A command that sends a delivery again, byte for byte. The token is not in it: nobody has stored it.
 *
 * @param url where deliveries come
 * @param contentUrl where its content is
 */
export function curlOf({ method, fields, content }: Sent, url: string, contentUrl: string): string {
  // An imported name may be none, and curl would read the file that it names.
  const kept = fields.filter(([name]) => isToken(name) && !MADE_BY_CURL.includes(name.toLowerCase()));
  const hasMediaType = kept.some(([name]) => name.toLowerCase() === 'content-type');
  const headers = kept.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`));
  // Without it, curl adds one of its own.
  if (!hasMediaType) headers.push('Content-Type:');
  const text = content.length <= COMMAND_LIMIT ? Buffer.from(content).toString('latin1') : undefined;
  const isWord = text !== undefined && PLAIN.test(text) && !text.startsWith('@');
  const printed = text === undefined ? `curl -sS ${quoted(contentUrl)}` : printfOf(content);
  return [
    `${isWord ? '' : `${printed} | `}curl -X ${quoted(method)} ${quoted(url)}`,
    `-H "Authorization: Bearer $ACCESS_TOKEN"`,
    ...headers.map(
      (field) => `-H ${PLAIN.test(field) ? quoted(field) : `"$(${printfOf(bytesOfField(field))})"`}`,
    ),
    `--data-binary ${isWord ? quoted(text) : '@-'}`,
  ].join(' \\\n  ');
}

/** What a search found: where, and the text with what is around it. */
export interface Found {
  readonly where: string;
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

/** How many characters are shown before and behind a text that was found. */
const AROUND = 30;

/** The first place that has a text. */
export function foundIn(
  places: readonly (readonly [where: string, text: string | null])[],
  text: string,
): Found | undefined {
  const [where, whole] = places.find(([, one]) => one?.includes(text)) ?? [];
  if (where === undefined || !whole) return undefined;
  const at = whole.indexOf(text);
  const end = at + text.length;
  // Half a character is none.
  const part = (from: number, to: number): string =>
    whole.slice(from, to).replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  const [before, after] = [part(Math.max(0, at - AROUND), at), part(end, end + AROUND)];
  return {
    where,
    before: at > AROUND ? `…${before}` : before,
    text,
    after: end + AROUND < whole.length ? `${after}…` : after,
  };
}
