import { factTexts, SCHEMA, taking, withHook } from './documents.js';

const BASE = {
  '/openapi': '"3.1.0"',
  '/info/title': '"T"',
  '/info/version': '"1"',
  '/webhooks/~1hook/summary': '"Hook"',
};
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const header = (name: string) => ({ name, in: 'header' });

test.each<{ name: string; document: string; want: Record<string, string> }>([
  {
    name: 'an empty map and an empty list',
    document: withHook({ 'x-a': {}, 'x-b': [] }),
    want: { '/webhooks/~1hook/x-a': '{}', '/webhooks/~1hook/x-b': '[]' },
  },
  {
    name: 'a set in any order',
    document: withHook(taking({ required: ['b', 'a'] })),
    want: { [`${SCHEMA}/required`]: '["a","b"]' },
  },
  {
    name: 'the items of another list, each',
    document: withHook({ 'x-a': ['b', 'a'] }),
    want: { '/webhooks/~1hook/x-a/0': '"b"', '/webhooks/~1hook/x-a/1': '"a"' },
  },
  {
    name: 'parameters by place and name, headers without case',
    document: withHook({ parameters: [header('B'), { name: 'A', in: 'query' }] }),
    want: {
      '/webhooks/~1hook/parameters/header b/name': '"B"',
      '/webhooks/~1hook/parameters/header b/in': '"header"',
      '/webhooks/~1hook/parameters/query A/name': '"A"',
      '/webhooks/~1hook/parameters/query A/in': '"query"',
    },
  },
  {
    name: 'a component where it is used, and one that nothing uses',
    document: withHook(taking(reference('A')), {
      components: { schemas: { A: { type: 'null' }, B: { title: 'b' } } },
    }),
    want: { [`${SCHEMA}/type`]: '"null"', '/components/schemas/B/title': '"b"' },
  },
  {
    name: 'a schema that leads back to itself, as a component',
    document: withHook(taking(reference('A')), { components: { schemas: { A: { items: reference('A') } } } }),
    want: {
      [SCHEMA]: '"#/components/schemas/A"',
      '/components/schemas/A/items': '"#/components/schemas/A"',
    },
  },
  {
    name: 'a reference with something beside it, as it is written',
    document: withHook(taking({ ...reference('A'), title: 'a' }), {
      components: { schemas: { A: { type: 'null' } } },
    }),
    want: {
      [`${SCHEMA}/$ref`]: '"#/components/schemas/A"',
      [`${SCHEMA}/title`]: '"a"',
      '/components/schemas/A/type': '"null"',
    },
  },
])('states $name', ({ document, want }) => {
  expect(factTexts(document)).toEqual({ ...BASE, ...want });
});

test.each([
  ['#/components/schemas/Gone', 'points to nothing'],
  ['other.json#/a', 'must be a JSON Pointer into this document'],
  ['https://example.com/a', 'must be a JSON Pointer into this document'],
  ['#anchor', 'must be a JSON Pointer into this document'],
  ['#/%', 'has a broken escape'],
])('refuses the reference %s', ($ref, problem) => {
  expect(() => factTexts(withHook(taking({ $ref })))).toThrow(`d.json:1: $ref "${$ref}" ${problem}`);
});
