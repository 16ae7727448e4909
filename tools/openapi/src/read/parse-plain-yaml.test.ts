import fc from 'fast-check';
import { stringify } from 'yaml';
import { documents } from '../../test/arbitraries.js';
import { parsePlainYaml } from './parse-plain-yaml.js';
import { parseYaml } from './parse-yaml.js';
import { SourceFile } from './source-file.js';
import type { SourceNode } from './source-node.js';
import { toPlain } from './to-plain.js';
import { ToolError } from './tool-error.js';

/** `PROPERTY_RUNS=20` looks twenty times as long as usual. */
const FACTOR = Number(process.env['PROPERTY_RUNS'] ?? 1);

const LAYOUTS = [
  {},
  { indent: 4, lineWidth: 0 },
  { indentSeq: false, lineWidth: 20, singleQuote: true },
  { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
  { blockQuote: 'literal', lineWidth: 30, directives: true },
  { collectionStyle: 'flow', lineWidth: 20 },
] as const;

const texts = fc
  .tuple(documents, fc.constantFrom(...LAYOUTS))
  .map(([document, layout]) => stringify(document, { aliasDuplicateObjects: false, ...layout }));

describe('parsePlainYaml', () => {
  it(
    'reads what the library reads, in every layout',
    () => {
      fc.assert(fc.property(texts, expectSame), { numRuns: 100 * FACTOR });
    },
    60_000 * FACTOR,
  );

  it(
    'reads what the library reads, whatever is put into the text',
    () => {
      const snippet = fc.constantFrom(
        ...[
          '\n',
          ' ',
          '  ',
          '- ',
          ': ',
          ':',
          '#',
          ' #',
          '"',
          "'",
          '|',
          '>',
          '|2\n',
          '{',
          '}',
          '[',
          ']',
          ', ',
        ],
        ...[
          '&a ',
          '*a',
          '!x ',
          '? ',
          '---',
          '...',
          '%',
          '\t',
          '\r',
          'null',
          'true',
          '1',
          '.5',
          '~',
          '\n  x: 1',
        ],
      );
      const edits = fc.array(fc.tuple(fc.nat(), snippet, fc.nat({ max: 3 })), { minLength: 1, maxLength: 3 });
      const edited = fc.tuple(texts, edits).map(([text, changes]) =>
        changes.reduce((result, [place, put, cut]) => {
          const at = place % (result.length + 1);
          return result.slice(0, at) + put + result.slice(at + cut);
        }, text),
      );
      fc.assert(fc.property(edited, expectSame), { numRuns: 300 * FACTOR });
    },
    60_000 * FACTOR,
  );

  it.each([
    { name: 'maps and lists', given: 'a:\n  b: c\n  d:\n  - 1\n  -\n    e: f\n    g: []\n  - h\n' },
    { name: 'comments', given: '# a\na: b # §1\n\n# c\nd: # e\n  # f\n  g: "h" # i\n' },
    { name: 'quotes', given: `a: 'it''s'\n"b": "c\\n\\u00e9"\n'd': "e\n  f"\n` },
    {
      name: 'texts of several lines',
      given: 'a: |\n  b: c\n\n  # d\ne: >-\n  f\n  g\nh: i\n  j\nk:\n  l\n  m\n',
    },
    { name: 'flow', given: 'a: [b, {c: d}]\ne: {f: 1,\n  g: 2}\n' },
    { name: 'numbers and words', given: 'a: 1\nb: 1.50\nc: 0x10\nd: null\ne: true\nf: ~\ng: 3.1.0\nh: no\n' },
    { name: 'keys of many kinds', given: '/a/{b}:\n  200: x\n  application/json: y\n  $ref: a#/b\n' },
    { name: 'the start of a document', given: '---\na: b\n' },
  ])('reads $name', ({ given }) => {
    expectSame(given);
    expect(parsePlainYaml(new SourceFile('a.yaml', given))).toBeDefined();
  });

  it.each([
    { name: 'an anchor', given: 'a: &x b\nc: *x\n' },
    { name: 'a tag', given: 'a: !!str 1\n' },
    { name: 'a key that is there twice', given: 'a: 1\na: 2\n' },
    { name: 'an indentation that fits nothing', given: 'a:\n    b: 1\n  c: 2\n' },
    { name: 'a tab', given: 'a:\tb\n' },
    { name: 'two documents', given: 'a: 1\n---\nb: 1\n' },
    { name: 'a value that is left out', given: 'a:\nb: 1\n' },
  ])('leaves $name to the library', ({ given }) => {
    expect(parsePlainYaml(new SourceFile('a.yaml', given))).toBeUndefined();
  });
});

function expectSame(text: string): void {
  const file = new SourceFile('a.yaml', text);
  const plain = parsePlainYaml(file);
  if (plain === undefined) return;
  expect(() => parseYaml(file)).not.toThrow(ToolError);
  const whole = parseYaml(file);
  expect(toPlain(plain)).toEqual(toPlain(whole));
  expect(placesIn(plain)).toEqual(placesIn(whole));
}

/** Where everything is written; where a map or a list ends is not told. */
function placesIn(node: SourceNode): unknown {
  if (node.kind === 'scalar') return [node.start, node.end, node.exact];
  if (node.kind === 'list') return [node.start, ...node.items.map(placesIn)];
  return [
    node.start,
    ...Array.from(node.entries, ([key, one]) => [key, one.start, one.end, placesIn(one.value)]),
  ];
}
