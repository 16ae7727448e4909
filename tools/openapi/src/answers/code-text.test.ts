import { runInNewContext } from 'node:vm';
import { format } from 'prettier';
import { codeText } from './code-text.js';

const long = 'x'.repeat(60);

it.each([
  ['text', 'text'],
  ['quotes', `it's "so"`],
  ['more single quotes', "it's"],
  ['double quotes', '{"taken":true}'],
  ['a backslash', '^\\d{4}-\\d{2}$\n'],
  ['other scalars', [1.5, -1, true, null]],
  ['keys', { plain: 1, 'with-dash': 2, $: 3, '': 4 }],
  ['nothing', { none: {}, empty: [] }],
  ['what is too long', { signature: { header: long, prefix: long }, list: [long, { a: 1 }], last: 'x' }],
])('is what Prettier makes of %s', async (_, value) => {
  const text = codeText({ answer: value }, '', 'export const answers = '.length + ';'.length);
  const source = `export const answers = ${text};\n`;

  expect(await format(source, { parser: 'typescript', singleQuote: true, printWidth: 110 })).toBe(source);
  expect(runInNewContext(`(${text})`)).toEqual({ answer: value });
});
