import fc from '../test/fast-check.js';
import { formsOf, showAs, visible } from './content.mjs';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (text: string): string => showAs(bytes(text), 'json', 16).text;

test.each([
  ['{"a":1}', ['json', 'text', 'hex']],
  [' 7\n', ['json', 'text', 'hex']],
  ['{"a":1', ['text', 'hex']],
  ['plain text\r\n', ['text', 'hex']],
  ['', ['text', 'hex']],
  ['a\0b', ['hex', 'text']],
])('%j can be shown as %j', (content, forms) => {
  expect(formsOf(bytes(content))).toEqual(forms);
});

test('content that is not UTF-8 is shown in hexadecimal first', () => {
  expect(formsOf(Uint8Array.of(0x22, 0xff, 0x22))).toEqual(['hex', 'text']);
});

test('a text that is cut within a character is a text', () => {
  const content = bytes('ä'.repeat(200_000)).subarray(0, 399_999);
  expect(formsOf(content)).toEqual(['text', 'hex']);
  expect(showAs(content, 'text', 16).isCut).toBe(true);
});

test('JSON is put on lines', () => {
  expect(json('{"a":[1,{"b":"x, {y}"}],"c":{},"d":[ ]}')).toBe(
    `{
  "a": [
    1,
    {
      "b": "x, {y}"
    }
  ],
  "c": {},
  "d": []
}`,
  );
});

test('numbers, texts and repeated names stay as they were written', () => {
  const content = '{"n":12345678901234567890,"n":1.0,"e":1E2,"t":"\\u00e4\\"\\/"}';
  expect(json(content).replaceAll(/\s/g, '')).toBe(content);
});

test('what is put on lines is the same JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (one, other) => {
      const content = `[${one},${other}]`;
      expect(JSON.parse(json(content).replaceAll(/\\u\{[0-9a-f]+\}/g, ''))).toEqual(
        JSON.parse(visible(content).replaceAll(/\\u\{[0-9a-f]+\}/g, '')),
      );
    }),
  );
});

test('deep JSON is cut', () => {
  const { text, isCut } = showAs(bytes(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 'json', 16);
  expect([text.length, isCut]).toEqual([262_144, true]);
});

test('hexadecimal digits have their offset and their characters', () => {
  expect(
    showAs(
      Uint8Array.from({ length: 20 }, (_, index) => 0x40 + index),
      'hex',
      16,
    ).text,
  ).toBe(
    `0000  40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO
0010  50 51 52 53                                      PQRS`,
  );
  expect(showAs(Uint8Array.of(0, 0x7f, 0xff), 'hex', 8).text).toBe('0000  00 7f ff                 ...');
});

test('much content is cut', () => {
  const content = new Uint8Array(1_000_000).fill(0x61);
  for (const form of formsOf(content)) {
    const { text, isCut } = showAs(content, form, 16);
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThan(300_000);
  }
});

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
