import fc from 'fast-check';
import { parse } from './parse.js';
import { SourceFile, toPlain } from './source-node.js';

const read = (path: string, text: string) => parse(new SourceFile(path, text));

/** So many lists, each of which repeats the one before so many times: 9 to the power of 9 values in 300 bytes. */
function aliases(lists: number, times: number): string {
  const repeats = (index: number) => Array<string>(times).fill(index === 0 ? 'x' : `*a${index - 1}`);
  return Array.from(
    { length: lists },
    (_, index) => `a${index}: &a${index} [${repeats(index).join()}]\n`,
  ).join('');
}

describe('parse', () => {
  it.each([
    {
      name: 'JSON',
      path: 'a.json',
      given: ' {"a": [1, -2.5e3, true, null, "x\\n\\u00e9"], "": {}} ',
      want: { a: [1, -2500, true, null, 'x\né'], '': {} },
    },
    { name: 'JSON in a file of another name', path: 'a', given: '{"a": 1}', want: { a: 1 } },
    {
      name: 'YAML',
      path: 'a.yaml',
      given: 'a:\n  - 1\n  - x: ~\nb: |\n  text\n',
      want: { a: [1, { x: null }], b: 'text\n' },
    },
    { name: 'YAML that opens like JSON', path: 'a.yaml', given: '{a: 1, b: [x]}', want: { a: 1, b: ['x'] } },
    {
      name: 'keys that are not text',
      path: 'a.yaml',
      given: '200: a\n1.0: b\ntrue: c\n',
      want: { '200': 'a', '1.0': 'b', true: 'c' },
    },
    {
      name: 'an anchor and its alias',
      path: 'a.yaml',
      given: 'a: &x [1]\nb: *x\n',
      want: { a: [1], b: [1] },
    },
    {
      name: 'what YAML 1.1 would take for something else',
      path: 'a.yaml',
      given: 'a: no\nb: 2026-01-31\nc: 0x10\nd: 0o10',
      want: { a: 'no', b: '2026-01-31', c: 16, d: 8 },
    },
  ])('reads $name', ({ path, given, want }) => {
    expect(toPlain(read(path, given))).toEqual(want);
  });

  it('reads every digit of a hexadecimal number', () => {
    const values = ['0x20000000000000', '0x20000000000001'].map((given) => read('a.yaml', given));
    expect(values).toMatchObject([{ value: 2 ** 53 }, { exact: '9007199254740993e0' }]);
  });

  it('reads a key that is the name of a prototype as a key', () => {
    expect(Object.keys(toPlain(read('a.json', '{"__proto__": {"a": 1}}')) as object)).toEqual(['__proto__']);
  });

  it.each([
    {
      name: 'a duplicate key in JSON',
      path: 'a.json',
      given: '{"a": 1,\n "a": 2}',
      want: 'a.json:2: duplicate key "a", first on line 1',
    },
    {
      name: 'a duplicate key in YAML',
      path: 'a.yaml',
      given: 'b: 1\nc:\n  a: 1\n  a: 2\n',
      want: 'a.yaml:4: duplicate key "a", first on line 3',
    },
    {
      name: 'a key that is a number and a text',
      path: 'a.yaml',
      given: "200: a\n'200': b\n",
      want: 'a.yaml:2: duplicate key "200", first on line 1',
    },
    {
      name: 'JSON that stops',
      path: 'a.json',
      given: '{"a": [1,',
      want: 'a.json:1: not JSON: value expected',
    },
    {
      name: 'a text that stops',
      path: 'a.json',
      given: '{"a": "x',
      want: 'a.json:1: not JSON: unexpected end of string',
    },
    {
      name: 'an unknown escape',
      path: 'a.json',
      given: '{"a": "\\x"}',
      want: 'a.json:1: not JSON: invalid escape character',
    },
    {
      name: 'a comma too many',
      path: 'a.json',
      given: '{"a": 1,\n}',
      want: 'a.json:2: not JSON: property name expected',
    },
    {
      name: 'more after the end',
      path: 'a.json',
      given: '{}\n{}',
      want: 'a.json:2: not JSON: end of file expected',
    },
    { name: 'an empty file', path: 'a.yaml', given: '', want: 'a.yaml: the file is empty' },
    { name: 'only a comment', path: 'a.yaml', given: '# nothing\n', want: 'a.yaml: the file is empty' },
    {
      name: 'two documents',
      path: 'a.yaml',
      given: 'a: 1\n---\nb: 1\n',
      want: 'a.yaml:2: not YAML: more than one document',
    },
    {
      name: 'a value of another kind',
      path: 'a.yaml',
      given: 'a: 1\nb: .nan\n',
      want: 'a.yaml:2: not YAML: .nan is not a JSON value',
    },
    {
      name: 'a tag of its own',
      path: 'a.yaml',
      given: 'a: !plant x\n',
      want: 'a.yaml:1: not YAML: Unresolved tag: !plant',
    },
    {
      name: 'a set',
      path: 'a.yaml',
      given: 'a: 1\nb: !!set { x, y }\n',
      want: 'a.yaml:2: not YAML: Unresolved tag: tag:yaml.org,2002:set',
    },
    {
      name: 'an alias of nothing',
      path: 'a.yaml',
      given: 'a: *x\n',
      want: 'a.yaml:1: not YAML: alias *x does not follow a whole anchor of that name',
    },
    {
      name: 'an alias in its own anchor',
      path: 'a.yaml',
      given: 'a: &x\n  b: *x\n',
      want: 'a.yaml:2: not YAML: alias *x does not follow a whole anchor of that name',
    },
    {
      name: 'a key with parts',
      path: 'a.yaml',
      given: '? [a]\n: 1\n',
      want: 'a.yaml:1: not YAML: a key that is not plain text',
    },
    {
      name: 'deep JSON',
      path: 'a.json',
      given: '['.repeat(100_000),
      want: 'a.json:1: not JSON: nested more than 500 levels deep',
    },
    {
      name: 'deep YAML in blocks',
      path: 'a.yaml',
      given: `${'- '.repeat(20_000)}a`,
      want: 'a.yaml:1: not YAML: nested more than 500 levels deep',
    },
    {
      name: 'deep YAML',
      path: 'a.yaml',
      given: `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      want: 'a.yaml:1: not YAML: nested more than 500 levels deep',
    },
    {
      name: 'deep YAML, at the line that is too deep',
      path: 'a.yaml',
      given: `a:\n- ${'['.repeat(400)}\n  ${'['.repeat(400)}\n`,
      want: 'a.yaml:3: not YAML: nested more than 500 levels deep',
    },
    {
      name: 'aliases that nest deeper than what is written',
      path: 'a.yaml',
      given: `a: &a ${'['.repeat(300)}${']'.repeat(300)}\nb: ${'['.repeat(300)}*a${']'.repeat(300)}\n`,
      want: 'a.yaml:2: not YAML: nested more than 500 levels deep',
    },
    {
      name: 'aliases that repeat too much, at the first that does',
      path: 'a.yaml',
      given: aliases(9, 9),
      want: 'a.yaml:6: not YAML: aliases repeat more than 100000 values',
    },
  ])('refuses $name', ({ path, given, want }) => {
    expect(() => read(path, given)).toThrow(want);
  });
});

describe('any text in a JSON file', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"a":',
    '1',
    '-1.5e3',
    '01',
    'true',
    'null',
    ' ',
    '\n',
  ];
  const more = ['"', '\\', '"\\u00e9"', '//', '/**/', '\t', '\u00a0', '-', '.', 'e'];
  const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...pieces, ...more), fc.nat({ max: 2 })), {
    maxLength: 3,
  });
  const texts = fc.tuple(fc.json({ maxDepth: 3 }), edits).map(([text, changes]) =>
    changes.reduce((edited, [at, piece, cut]) => {
      const place = at % (edited.length + 1);
      return edited.slice(0, place) + piece + edited.slice(place + cut);
    }, text),
  );

  it('is read as JSON.parse reads it, or refused as JSON.parse refuses it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const expected = outcome(() => JSON.stringify(JSON.parse(text)));
        const found = outcome(() => JSON.stringify(toPlain(read('a.json', text))));
        if ('error' in found && found.error.includes('duplicate key')) return;
        expect('error' in found).toBe('error' in expected);
        if ('value' in found) expect(found).toEqual(expected);
      }),
      { numRuns: 1000, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
    );
  });
});

function outcome(run: () => string): { value: string } | { error: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { error: String(error) };
  }
}
