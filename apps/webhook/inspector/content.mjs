/** Content as text that a person reads. Nothing is added to it, and nothing is left out but the end of long content. */

/** How much of a content is shown. The rest can be downloaded. */
const TEXT_LIMIT = 262_144;
const HEX_LIMIT = 16_384;

/**
 * @typedef {'text' | 'json' | 'hex'} Form
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
  if (isJson(content)) return ['json', 'text', 'hex'];
  return isText(content) ? ['text', 'hex'] : ['hex', 'text'];
}

/**
 * @param {Uint8Array} content
 * @param {Form} form
 * @param {number} bytesInLine of hexadecimal digits
 * @returns {Shown}
 */
export function showAs(content, form, bytesInLine) {
  const limit = form === 'hex' ? HEX_LIMIT : TEXT_LIMIT;
  const start = content.subarray(0, limit);
  if (form === 'hex') return { text: hexOf(start, bytesInLine), isCut: content.length > limit };
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(start);
  if (form === 'text') return { text: visible(text), isCut: content.length > limit };
  const laidOut = layOut(text);
  return { text: visible(laidOut.slice(0, TEXT_LIMIT)), isCut: laidOut.length > TEXT_LIMIT };
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

/** @param {Uint8Array} content */
function isText(content) {
  try {
    // A character may be cut at the limit: `stream` expects the rest of it.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content.subarray(0, TEXT_LIMIT), {
      stream: true,
    });
    // eslint-disable-next-line no-control-regex
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}

/** @param {Uint8Array} content */
function isJson(content) {
  if (content.length > TEXT_LIMIT) return false;
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content));
    return true;
  } catch {
    return false;
  }
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g;
const DEEPEST_INDENTATION = 20;

/**
 * Puts JSON on lines. Each name, number and text stays as it was written: parsing it and writing it again would change
 * large numbers, and drop the first of two fields with one name.
 *
 * @param {string} json valid
 * @returns {string} not more than the start of it, if it gets very long
 */
function layOut(json) {
  let text = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(Math.min(depth, DEEPEST_INDENTATION))}`;
  for (const [token] of json.matchAll(TOKENS)) {
    if (text.length > TEXT_LIMIT) break;
    const isOpen = before === '{' || before === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      text += isOpen ? token : line() + token;
    } else if (token === ',') text += token;
    else if (token === ':') text += ': ';
    else {
      text += (isOpen || before === ',' ? line() : '') + token;
      if (token === '{' || token === '[') depth += 1;
    }
    before = token;
  }
  return text;
}

/**
 * @param {Uint8Array} content
 * @param {number} bytesInLine
 */
function hexOf(content, bytesInLine) {
  const lines = [];
  for (let start = 0; start < content.length; start += bytesInLine) {
    const bytes = [...content.subarray(start, start + bytesInLine)];
    const digits = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
    const offset = start.toString(16).padStart(4, '0');
    lines.push(`${offset}  ${digits.padEnd(bytesInLine * 3)} ${characters.join('')}`);
  }
  return lines.join('\n');
}
