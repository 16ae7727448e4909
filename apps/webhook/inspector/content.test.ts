import { gzipSync } from 'node:zlib';

import fc from '../test/fast-check.js';
import { curlOf, formsOf, hexOf, type Json, jsonOf, rawOf, visible, whyNotText } from './content.mjs';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** JSON as it was written, without spaces. */
const written = (value: Json): string => {
  if (typeof value === 'string') return value;
  const items = value.items.map(({ name, value }) => (name === undefined ? '' : `${name}:`) + written(value));
  return `${value.open}${items.join(',')}${value.open === '{' ? '}' : ']'}`;
};

test.each([
  ['{"a":1}', ['json', 'raw', 'hex']],
  [' 7\n', ['json', 'raw', 'hex']],
  ['{"a":1', ['raw', 'hex']],
  ['plain text\r\n', ['raw', 'hex']],
  ['', ['raw', 'hex']],
  ['a\0b', ['hex', 'raw']],
])('%j can be shown as %j', (content, forms) => {
  expect(formsOf(bytes(content))).toEqual(forms);
});

test('content that is not UTF-8 is shown in hexadecimal first', () => {
  expect(formsOf(Uint8Array.of(0x22, 0xff, 0x22))).toEqual(['hex', 'raw']);
});

test('a text that is shown up to the middle of a character is a text', () => {
  const content = bytes(`a${'ä'.repeat(200_000)}`);
  expect(formsOf(content)).toEqual(['raw', 'hex']);
  expect(rawOf(content).isCut).toBe(true);
});

test.each([
  '{"a":[1,{"b":"x, {y}: [z]"}],"c":{},"d":[]}',
  '7',
  '"a\\\\"',
  '[]',
  '{"n":12345678901234567890,"n":1.0,"e":1E2}',
])('JSON stays as it was written: %s', (content) => {
  expect(written(jsonOf(bytes(content)))).toBe(content);
});

test('the parts of JSON are the same JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (one, other) => {
      const content = `[${one}, ${other}]`;
      expect(JSON.parse(written(jsonOf(bytes(content))))).toEqual(JSON.parse(content));
    }),
  );
});

test('deep and large JSON can be read', () => {
  let depth = 0;
  const deep = bytes(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  for (let value = jsonOf(deep); typeof value !== 'string' && value.items[0]; value = value.items[0].value)
    depth += 1;
  expect(depth).toBe(99_999);
  const large = bytes(
    JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'arbitrary text' }))),
  );
  expect([formsOf(large)[0], (jsonOf(large) as { items: unknown[] }).items.length]).toEqual(['json', 20_000]);
});

test('hexadecimal digits have their offset and their characters', () => {
  expect(hexOf(Uint8Array.from({ length: 10 }, (_, index) => 0x40 + index)).text).toBe(
    `0000  40 41 42 43 44 45 46 47  @ABCDEFG
0008  48 49                    HI`,
  );
  expect(hexOf(Uint8Array.of(0, 0x7f, 0xff)).text).toBe('0000  00 7f ff                 ...');
});

test.each([
  { content: 'plain', why: undefined },
  { content: '\u0000', why: 'has control characters' },
  { content: Buffer.from([0xff]), why: "isn't UTF-8" },
  { content: gzipSync('plain'), why: 'begins like gzip' },
  { content: Buffer.concat([Buffer.alloc(300_000, 'a'), Buffer.from([0xff])]), why: "isn't UTF-8" },
])('why content $content is shown in digits: $why', ({ content, why }) => {
  expect(whyNotText(Buffer.from(content))).toBe(why);
});

test('much content is cut', () => {
  const content = new Uint8Array(1_000_000).fill(0x61);
  for (const { text, isCut } of [rawOf(content), hexOf(content)]) {
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThan(300_000);
  }
});

const URLS = ['http://127.0.0.1:3000/plant/webhook', 'http://127.0.0.1:3001/deliveries/7/content'] as const;

test('a command sends a text again, with its header fields and without a token', () => {
  const fields = [
    ['Host', 'plants.example'],
    ['Content-Type', 'text/plain'],
    ['X-Any', "it's $HOME"],
    ['X-Empty', ''],
  ] as const;
  expect(curlOf({ method: 'PUT', fields, content: bytes("a 'quoted' $text") }, ...URLS)).toBe(
    [
      `curl -X PUT 'http://127.0.0.1:3000/plant/webhook'`,
      `-H "Authorization: Bearer $ACCESS_TOKEN"`,
      `-H 'Content-Type: text/plain'`,
      `-H 'X-Any: it'\\''s $HOME'`,
      `-H 'X-Empty;'`,
      `--data-binary 'a '\\''quoted'\\'' $text'`,
    ].join(' \\\n  '),
  );
});

test.each([Uint8Array.of(0xff), bytes('a'.repeat(5_000)), bytes('@file'), bytes('a\0')])(
  'a command gets what no command line has from the receiver',
  (content) => {
    const command = curlOf({ method: 'POST', fields: [], content }, ...URLS);
    expect(command).toMatch(/^curl -sS 'http:\/\/127\.0\.0\.1:3001\/deliveries\/7\/content' \| curl -X POST/);
    expect(command).toContain(`-H 'Content-Type:'`);
    expect(command).toMatch(/--data-binary @-$/);
  },
);

test.each([
  ['the other direction', '\u202e', '202e'],
  ['a control character', '\0', '0'],
  ['a space without width', '\u200b', '200b'],
  ['a joiner', '\u200d', '200d'],
  ['a non-joiner', '\u200c', '200c'],
  ['a soft hyphen', '\u00ad', 'ad'],
  ['a combining grapheme joiner', '\u034f', '34f'],
  ['a Hangul filler', '\u3164', '3164'],
  ['another one', '\u115f', '115f'],
  ['one of half the width', '\uffa0', 'ffa0'],
  ['a Mongolian vowel separator', '\u180e', '180e'],
  ['an empty Braille cell', '\u2800', '2800'],
  ['a variation selector', '\ufe0f', 'fe0f'],
  ['a byte order mark', '\ufeff', 'feff'],
  ['a separator of lines', '\u2028', '2028'],
  ['an annotation', '\ufff9', 'fff9'],
  ['a tag', '\u{e0041}', 'e0041'],
  ['a carriage return alone', '\r', 'd'],
])('%s, which nobody sees, is shown', (_name, character, number) => {
  expect(visible(`a${character}b${character}`)).toBe(`a\\u{${number}}b\\u{${number}}`);
});

test.each([
  'äöü \t\r\n\n',
  '中文 ﷽ \u0600 \u00a0',
  '👩‍🌾 ❤️ 1️⃣ 🇩🇪 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
])('%j stays', (text) => {
  expect(visible(text)).toBe(text);
});

test('an emoji does not hide what follows it', () => {
  expect(visible('👩‍🌾\u{e0041}❤️\ufe0f')).toBe('👩‍🌾\\u{e0041}❤️\\u{fe0f}');
});
