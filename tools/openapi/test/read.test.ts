import { parse, plain, readOpenapi, readText, textOf } from '../src/gate/read.js';

const lines = (text: string) => parse(text, 'a.yaml');

test.each([
  ['JSON', '{"a": [1, "x", true, null]}', { a: [1, 'x', true, null] }],
  ['YAML', 'a:\n  - 1\n  - x\n  - true\n  -\n', { a: [1, 'x', true, null] }],
  ['keys that are numbers', '200: a', { '200': 'a' }],
  ['a key that every object has', '{"__proto__": 1, "constructor": 2}', { ['__proto__']: 1, constructor: 2 }],
])('reads %s', (_name, text, want) => {
  expect(plain(lines(text))).toEqual(want);
});

test('numbers are equal by value', () => {
  expect(textOf(lines('[1, 1.0, 1e0]'))).toBe('[1,1,1]');
});

test('knows the line of each key, and the comment at its end', () => {
  const root = lines('# Facts\na: 1 # §4\nb:\n  c: "#5" # §2, §3\n');
  const at = (key: string) => (root.value as ReadonlyMap<string, typeof root>).get(key);
  expect(at('a')?.place).toEqual({ file: 'a.yaml', line: 2, comment: '§4' });
  const [below] = (at('b')?.value as ReadonlyMap<string, typeof root>).values();
  expect(below?.place).toEqual({ file: 'a.yaml', line: 4, comment: '§2, §3' });
});

test.each([
  ['no YAML', 'a: [', /^a\.yaml:1: /],
  ['a key twice', 'a: 1\na: 2', /^a\.yaml:2: Map keys must be unique/],
  ['nothing', '', /^a\.yaml:1: the file is empty/],
  ['two documents', 'a\n---\nb', /^a\.yaml:\d: .*multiple documents/],
  ['a tag of another kind of value', '!!binary aGk=', /^a\.yaml:1: .*tag/],
  ['a value that JSON lacks', 'a: .nan', /^a\.yaml:1: NaN is not a JSON value/],
  ['a key that is a list', '[a]: 1', /^a\.yaml:1: a key is not plain text/],
  ['an alias', 'a: &x { b: 1 }\nc: *x', /^a\.yaml:2: an alias is not allowed/],
])('refuses %s, with the line', (_name, text, message) => {
  expect(() => lines(text)).toThrow(message);
});

test.each([['3.0.3'], ['3.2.0'], [31]])('a document of OpenAPI %s is refused', (openapi) => {
  expect(() => readOpenapi({ text: JSON.stringify({ openapi }), file: 'd.json' })).toThrow(
    'd.json: not an OpenAPI 3.1 document',
  );
});

test('a file that cannot be read is named', () => {
  expect(() => readText('no-such-file')).toThrow('no-such-file: cannot be read: no such file or directory');
  expect(() => readText('.')).toThrow('.: cannot be read: illegal operation on a directory');
});
