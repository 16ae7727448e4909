import { escapeHidden, printable, textOf } from './printable.js';

const ESC = '\u001b';

test.each([
  ['an escape sequence', `${ESC}]0;title\u0007`, '\\u001b]0;title\\u0007'],
  ['a carriage return that overwrites the line', 'a\rb', 'a\\u000db'],
  ['control characters of eight bits', '\u009b2J', '\\u009b2J'],
  ['another direction', 'a\u202eb', 'a\\u202eb'],
  ['separators of lines', '\u2028\u2029', '\\u2028\\u2029'],
  ['a character of two code units', '\u{e0001}', '\\udb40\\udc01'],
  ['half of one', '\ud800', '\\ud800'],
  ['lines of text', 'ä\tb\r\nc\n', 'ä\tb\nc\n'],
])('a text is shown without what a terminal acts on: %s', (_name, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('a text that must stay on one line has no line break and no tab', () => {
  expect(escapeHidden('a\tb\r\nc')).toBe('a\\u0009b\\u000d\\u000ac');
});

test.each([
  ['UTF-8', Buffer.from('Grüße 🌱'), 'Grüße 🌱'],
  ['a byte order mark', Buffer.from('\ufeffa'), '\ufeffa'],
  ['nothing', Buffer.alloc(0), ''],
  ['another encoding', Buffer.from('Grüße', 'latin1'), undefined],
  ['a cut character', Buffer.from('ü').subarray(0, 1), undefined],
  ['U+0000', Buffer.from('a\0'), undefined],
])('whether bytes are text: %s', (_name, bytes, text) => {
  expect(textOf(bytes)).toBe(text);
});
