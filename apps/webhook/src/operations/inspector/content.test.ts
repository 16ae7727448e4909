import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import fc from '../../../test/fast-check.js';
import {
  curlOf,
  formsOf,
  foundIn,
  type Json,
  jsonOf,
  linesOf,
  type Sent,
  visible,
  whyNotText,
} from './content.js';

const bytes = (text: string): Buffer => Buffer.from(text);

/** JSON as it was written, without spaces. */
const written = (value: Json): string => {
  if (typeof value === 'string') return value;
  const items = value.items.map(({ name, value }) => (name === undefined ? '' : `${name}:`) + written(value));
  return `${value.open}${items.join(',')}${value.open === '{' ? '}' : ']'}`;
};

test.each([
  ['{"a":1}', ['json', 'text', 'hex', 'base64']],
  [' 7\n', ['json', 'text', 'hex', 'base64']],
  ['{"a":1', ['text', 'hex', 'base64']],
  ['plain text\r\n', ['text', 'hex', 'base64']],
  ['', ['text', 'hex', 'base64']],
  ['a\0b', ['hex', 'text', 'base64']],
])('%j can be shown as %j', (content, forms) => {
  expect(formsOf(bytes(content))).toEqual(forms);
});

test('content that is not UTF-8 is shown in hexadecimal first', () => {
  expect(formsOf(Uint8Array.of(0x22, 0xff, 0x22))).toEqual(['hex', 'text', 'base64']);
});

test('a text that is shown up to the middle of a character is a text', () => {
  const content = bytes(`a${'ä'.repeat(200_000)}`);
  expect(formsOf(content)).toEqual(['text', 'hex', 'base64']);
  expect(linesOf(content, 'text').isCut).toBe(true);
});

test.each([
  '{"a":[1,{"b":"x, {y}: [z]"}],"c":{},"d":[]}',
  '7',
  '"a\\\\"',
  '[]',
  '{"n":12345678901234567890,"n":1.0,"e":1E2}',
])('JSON stays as it was written: %s', (content) => {
  expect(jsonOf(bytes(content)).isCut).toBe(false);
  expect(written(jsonOf(bytes(content)).json)).toBe(content);
});

test('the parts of JSON are the same JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (one, other) => {
      const content = `[${one}, ${other}]`;
      expect(JSON.parse(written(jsonOf(bytes(content)).json))).toEqual(JSON.parse(content));
    }),
  );
});

test.each([
  ['deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 900],
  ['of many values', JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id }))), 9_000],
  ['with spaces', `[${' '.repeat(500_000)}1]`, 10],
  ['a long text', JSON.stringify({ a: 'b'.repeat(500_000) }), 66_000],
  ['with a long name', JSON.stringify({ ['a'.repeat(500_000)]: 1 }), 66_000],
])('the start of JSON is shown that is %s', (_name, content, most) => {
  expect(formsOf(bytes(content))[0]).toBe('json');
  const { json, isCut } = jsonOf(bytes(content));
  expect(isCut).toBe(true);
  expect(written(json)).toContain('…');
  expect(written(json).length).toBeLessThan(most);
});

test('hexadecimal digits have their offset and their characters', () => {
  expect(linesOf(Buffer.from('@ABCDEFGHI'), 'hex').text).toBe(
    `0000  40 41 42 43 44 45 46 47  @ABCDEFG
0008  48 49                    HI`,
  );
  expect(linesOf(Buffer.of(0, 0x7f, 0xff), 'hex').text).toBe('0000  00 7f ff                 ...');
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
  const content = Buffer.alloc(1_000_000, 'a');
  for (const form of ['text', 'hex', 'base64'] as const) {
    const { text, isCut } = linesOf(content, form);
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThan(400_000);
  }
});

const SHELLS = ['sh', 'dash', 'bash', 'zsh', 'fish'].filter(
  (shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0,
);

/** Runs a command that was pasted into a shell. Returns the requests with content that arrive. */
async function pasted(shell: string, delivery: Omit<Sent, 'method'>) {
  const received: { method: string | undefined; fields: string[]; content: Buffer }[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(delivery.content);
    void buffer(request).then((content) => {
      received.push({ method: request.method, fields: request.rawHeaders, content });
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const command = curlOf({ method: 'PUT', ...delivery }, `${url}/plant/webhook`, `${url}/content`);
    expect(command).toMatch(/^(?: \\\n|[ -~])*$/);
    const run = spawn(shell, ['-c', command], {
      env: { ...process.env, ACCESS_TOKEN: 'arbitrary' },
      stdio: 'ignore',
    });
    expect(await once(run, 'exit')).toEqual([0, null]);
    return received;
  } finally {
    server.close();
  }
}

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe.each(SHELLS)('a copied command in %s', (shell) => {
  test.each<[string, Uint8Array]>([
    ['nothing', bytes('')],
    ['plain text', bytes('{"a":1} !! $HOME `id` $(id) #')],
    ['quotes', bytes(`a 'quoted' "$text" it's`)],
    ['what could be a file', bytes('@/etc/passwd')],
    ['what could be an option', bytes('--help\n')],
    ['a format', bytes('%s %d %% \\n \\101 \\\\ \\')],
    ['lines', bytes('a\nb\r\n\n')],
    ['what a terminal acts on', bytes('\u007f\u007f\u001b[201~\u0003\u0015; id\r')],
    ['other scripts', bytes('ä 中文 👩‍🌾 \u202e\u2028\u200b')],
    ['every byte', EVERY_BYTE],
    ['more than a command has', Uint8Array.from({ length: 5_000 }, (_, at) => at % 256)],
  ])('sends the same bytes: %s', async (_name, content) => {
    const [sent, ...more] = await pasted(shell, { fields: [['Content-Type', 'text/plain']], content });

    expect(more).toEqual([]);
    expect(sent!.method).toBe('PUT');
    expect(sent!.content).toEqual(Buffer.from(content));
  });

  test('sends the same header fields, but for those of curl, and no file', async () => {
    const fields = [
      ['X-Any', `it's "$HOME" \`id\` $(id) !! \\ %s`],
      ['X-Latin', '\xfc\xe4 \x80'],
      ['X-Utf8', Buffer.from('ü 中').toString('latin1')],
      ['X-Tab', 'a\tb'],
      ["X!#$%&'*+.^_`|~", 'a'],
      ['X-Empty', ''],
      ['-v', 'a'],
    ] as const;
    const none = [
      ['Host', 'plants.example'],
      ['@/etc/hostname', 'a'],
    ] as const;
    const [sent] = await pasted(shell, { fields: [...none, ...fields], content: bytes('a') });

    const made = ['Host', 'User-Agent', 'Accept', 'Authorization', 'Content-Length'];
    const pairs = sent!.fields.flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1]]] : []));
    expect(pairs.filter(([name]) => !made.includes(name!))).toEqual(fields);
    expect(sent!.fields).toContain('Bearer arbitrary');
  });
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

test.each([
  ['needle', { where: 'content', before: '', text: 'needle', after: '' }],
  [
    `${'a'.repeat(100)}needle${'b'.repeat(100)}`,
    { where: 'content', before: `…${'a'.repeat(30)}`, text: 'needle', after: `${'b'.repeat(30)}…` },
  ],
  [
    `${'🌿'.repeat(20)}.needle.${'🌿'.repeat(20)}`,
    { where: 'content', before: `…${'🌿'.repeat(14)}.`, text: 'needle', after: `.${'🌿'.repeat(14)}…` },
  ],
])('what was found has what is around it: %s', (content, found) => {
  expect(
    foundIn(
      [
        ['error', null],
        ['content', content],
      ],
      'needle',
    ),
  ).toEqual(found);
});
