import { ResponseHeads } from './response-heads.js';

/** What is left of received bytes that arrive in these pieces. */
function read(pieces: readonly string[]): string {
  const heads = new ResponseHeads();
  heads.expect();
  return pieces
    .map((piece) => {
      const bytes = Buffer.from(piece, 'latin1');
      heads.read(bytes);
      return bytes.toString('latin1');
    })
    .join('');
}

const goOn = 'HTTP/1.1 100 Continue\r\nX: HTTP/1.1 100\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: HTTP/1.1 100\r\r\n\r\n';
const changed = goOn.replace('100', '102');
const final = `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${goOn}`;

test.each([
  ['a final response', final, final],
  ['100 before it', goOn + final, changed + final],
  ['100 after empty lines', `\r\n\r\n${goOn}\r\n${final}`, `\r\n\r\n${changed}\r\n${final}`],
  ['several interim responses', goOn + hints + goOn + final, changed + hints + changed + final],
  [
    '101, which nobody asked for',
    `HTTP/1.1 101 Switching\r\n\r\n${final}`,
    `HTTP/1.1 101 Switching\r\n\r\n${final}`,
  ],
  ['110', `HTTP/1.1 110 Arbitrary\r\n\r\n${goOn}`, `HTTP/1.1 110 Arbitrary\r\n\r\n${changed}`],
  ['something else', 'what is this\r\n\r\nHTTP/1.1 100', 'what is this\r\n\r\nHTTP/1.1 100'],
])('%s, cut anywhere', (_, received, expected) => {
  expect(read(received.split(/(?:)/))).toBe(expected);
  for (let cut = 0; cut <= received.length; cut += 1) {
    expect(read([received.slice(0, cut), received.slice(cut)])).toBe(expected);
  }
});

test('bytes before a request, and after the head of its response, stay as they are', () => {
  const heads = new ResponseHeads();
  const bytes = Buffer.from(goOn);
  heads.read(bytes);
  expect(bytes.toString()).toBe(goOn);

  heads.expect();
  heads.read(Buffer.from(final));
  heads.read(bytes);
  expect(bytes.toString()).toBe(goOn);
});
