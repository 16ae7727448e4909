/** Content as text that a person reads. Nothing is added to it, and nothing is left out but the end of long content. */

/** How much of a content is shown. The rest can be downloaded. */
const TEXT_LIMIT = 262_144;
const HEX_LIMIT = 16_384;
/** As many as fit beside the list, and on a phone. */
const BYTES_IN_LINE = 8;
const JSON_LIMIT = 4_194_304;

/**
 * @typedef {'json' | 'raw' | 'hex'} Form
 *
 * A value of JSON as it was written: a scalar, or what is between two brackets.
 * @typedef {string | { open: '{' | '[', items: { name?: string | undefined, value: Json }[] }} Json
 *
 * `isCut`: there is more than is shown.
 * @typedef {{ text: string, isCut: boolean }} Shown
 */

/**
 * The forms in which a content can be shown. The first one suits it best.
 *
 * @param {Uint8Array} content
 * @returns {Form[]}
 */
export function formsOf(content) {
  if (isJson(content)) return ['json', 'raw', 'hex'];
  return whyNotText(content) === undefined ? ['raw', 'hex'] : ['hex', 'raw'];
}

/** How contents begin that are not text, in Latin 1. */
const BINARY = [
  { start: '\x1f\x8b', what: 'gzip' },
  { start: '\x28\xb5\x2f\xfd', what: 'zstd' },
  { start: 'PK\x03\x04', what: 'a ZIP archive' },
  { start: '\x89PNG', what: 'a PNG image' },
  { start: '\xff\xd8\xff', what: 'a JPEG image' },
];

/** Why a content is shown in digits: words that follow `It`; undefined for text. @param {Uint8Array} content */
export function whyNotText(content) {
  const start = String.fromCharCode(...content.subarray(0, 8));
  const known = BINARY.find((one) => start.startsWith(one.start));
  if (known) return `begins like ${known.what}`;
  const text = exactTextOf(content);
  if (text === undefined) return "isn't UTF-8";
  // eslint-disable-next-line no-control-regex
  return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? 'has control characters' : undefined;
}

/** The text whose UTF-8 a content is; undefined if there is none. @param {Uint8Array} content */
export function exactTextOf(content) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** @param {Uint8Array} content @returns {Shown} */
export function rawOf(content) {
  return { text: visible(decode(content.subarray(0, TEXT_LIMIT))), isCut: content.length > TEXT_LIMIT };
}

/** @param {Uint8Array} content @returns {Shown} */
export function hexOf(content) {
  const lines = [];
  for (let start = 0; start < Math.min(content.length, HEX_LIMIT); start += BYTES_IN_LINE) {
    const bytes = [...content.subarray(start, Math.min(start + BYTES_IN_LINE, HEX_LIMIT))];
    const digits = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
    const offset = start.toString(16).padStart(4, '0');
    lines.push(`${offset}  ${digits.padEnd(BYTES_IN_LINE * 3)} ${characters.join('')}`);
  }
  return { text: lines.join('\n'), isCut: content.length > HEX_LIMIT };
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/**
 * The parts of JSON. Each name, number and text stays as it was written: `JSON.parse` changes large numbers, and drops
 * the first of two fields with one name.
 *
 * @param {Uint8Array} content valid JSON
 * @returns {Json}
 */
export function jsonOf(content) {
  const root = { open: /** @type {const} */ ('['), items: /** @type {any[]} */ ([]) };
  const open = [root];
  /** @type {string | undefined} */
  let name;
  let before = '';
  for (const [token] of decode(content).matchAll(TOKENS)) {
    const { items } = /** @type {typeof root} */ (open.at(-1));
    if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      items.pop();
      name = before;
    } else if (token !== ',') {
      const value = token === '{' || token === '[' ? { open: token, items: [] } : token;
      items.push(name === undefined ? { value } : { name, value });
      if (typeof value !== 'string') open.push(/** @type {any} */ (value));
      name = undefined;
    }
    before = token;
  }
  return root.items[0].value;
}

/** Characters that nobody sees. A carriage return in front of a line feed is one end of a line. */
const UNSEEN = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]|\r(?!\n)`;

/** The parts of an emoji are seen together. They are looked for first, so that they stay. */
const EMOJI_OR_UNSEEN = new RegExp(String.raw`\p{RGI_Emoji}|(${UNSEEN})`, 'gv');

/**
 * Shows characters that nobody sees, such as those that turn the direction of text, by their number.
 *
 * @param {string} text
 */
export const visible = (text) =>
  text.replace(EMOJI_OR_UNSEEN, (part, unseen) =>
    unseen === undefined ? part : `\\u{${part.codePointAt(0)?.toString(16)}}`,
  );

/** Fields that curl makes itself. */
const MADE_BY_CURL = ['host', 'content-length', 'transfer-encoding', 'connection', 'expect'];

/** Longest content that is a part of the command, in bytes: some shells read no more than 4,096 characters of a line. */
const COMMAND_LIMIT = 512;

/** Printable ASCII that means itself between single quotes in every shell. In fish, a backslash doesn't. */
const PLAIN = /^[ -&(-[\]-~]*$/;

/** A word of a shell, of printable ASCII. */
const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A command that prints bytes, in sh, bash, zsh and fish. Whatever a terminal or a shell acts on is written in octal
 * digits, so that the clipboard has printable ASCII alone.
 *
 * @param {Uint8Array} bytes
 */
function printfOf(bytes) {
  const digits = (/** @type {number} */ byte) => `\\${byte.toString(8).padStart(3, '0')}`;
  const format = Array.from(bytes, (byte, at) => {
    const character = String.fromCharCode(byte);
    // The format begins with no dash, which would be an option.
    return PLAIN.test(character) && character !== '%' && (character !== '-' || at > 0)
      ? character
      : digits(byte);
  });
  return `printf '${format.join('')}'`;
}

/** The bytes of a header field: as it is stored, a character is a byte. An imported one may have any character. @param {string} text */
const bytesOfField = (text) =>
  /[^\0-\xff]/.test(text)
    ? new TextEncoder().encode(text)
    : Uint8Array.from(text, (character) => character.charCodeAt(0));

/**
 * A command that sends a delivery again, byte for byte. The token is not in it: nobody has stored it.
 *
 * @param {{ method: string, fields: readonly (readonly [string, string])[], content: Uint8Array }} delivery
 * with its header fields as they are stored
 * @param {string} url where deliveries come
 * @param {string} contentUrl where its content is
 */
export function curlOf({ method, fields, content }, url, contentUrl) {
  // An imported name may be none, and curl would read the file that it names.
  const kept = fields.filter(([name]) => isToken(name) && !MADE_BY_CURL.includes(name.toLowerCase()));
  const hasMediaType = kept.some(([name]) => name.toLowerCase() === 'content-type');
  const headers = kept.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`));
  // Without it, curl adds one of its own.
  if (!hasMediaType) headers.push('Content-Type:');
  const text = content.length <= COMMAND_LIMIT ? String.fromCharCode(...content) : undefined;
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

/** Whether a text is the name of a header field, or of a method (RFC 9110 §5.6.2). @param {string} text */
const isToken = (text) => /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(text);

/** @param {string} base64 */
export const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** @param {Uint8Array} content */
const decode = (content) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);

/** @param {Uint8Array} content */
function isJson(content) {
  if (content.length > JSON_LIMIT) return false;
  const text = exactTextOf(content);
  try {
    return text !== undefined && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
