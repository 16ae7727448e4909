import { applyOverlay, readOverlay, targetSteps, targetTo } from '../src/gate/overlay.js';
import { parse, plain } from '../src/gate/read.js';
import { action, overlayOf } from './documents.js';

const read = (...actions: readonly object[]) => readOverlay(overlayOf(...actions), 'o.json');
const BASELINE = parse(
  '{"a": {"b": 1}, "empty": {}, "list": [{"c": 1}], "set": ["x"], "none": []}',
  'b.json',
);
const applied = (...actions: readonly object[]) => applyOverlay(BASELINE, read(...actions));

describe('an overlay is refused', () => {
  test.each<[string, string, RegExp]>([
    ['of another kind', '{"a": 1}', /o\.json:1: not an OpenAPI Overlay 1\.0\.0/],
    ['without actions', overlayOf(), /at least one action/],
    [
      'with an action that removes',
      overlayOf(action('$.a', undefined, { remove: true })),
      /an answer only adds/,
    ],
    ['with an unknown field', overlayOf(action('$.a', {}, { extra: 1 })), /an action has no field `extra`/],
    ['with a target of several places', overlayOf(action('$.a[*]', {})), /must name one place/],
    [
      'without who',
      overlayOf(action('$.a', {}, { 'x-answered-by': ' ' })),
      /needs a text in `x-answered-by`/,
    ],
    [
      'with what a person has to fill in',
      overlayOf(action('$.a', {}, { 'x-reason': '<why>' })),
      /fill it in/,
    ],
    ['with no day', overlayOf(action('$.a', {}, { 'x-date': '2026-02-30' })), /`x-date` is `2026-02-30`/],
    ['with an action that says nothing', overlayOf(action('$')), /needs an `x-answer` and the target `\$`/],
    [
      'with two answers to one question',
      overlayOf(action('$', undefined, { 'x-answer': 1 }), action('$', undefined, { 'x-answer': 1 })),
      /already has an `x-answer` at o\.json:1/,
    ],
  ])('%s', (_name, text, message) => {
    expect(() => readOverlay(text, 'o.json')).toThrow(message);
  });
});

describe('an action', () => {
  test.each<[string, object, unknown]>([
    ['adds keys to a map', action('$.a', { c: 2 }), { a: { b: 1, c: 2 } }],
    ['adds keys below', action('$', { a: { d: { e: 3 } } }), { a: { b: 1, d: { e: 3 } } }],
    ['adds an object to a list of objects', action('$.list', { c: 2 }), { list: [{ c: 1 }, { c: 2 }] }],
  ])('%s', (_name, one, want) => {
    const { root, refused } = applied(one);
    expect(refused).toEqual([]);
    expect(plain(root)).toMatchObject(want as object);
  });

  test.each<[string, object, string, string]>([
    ['without a target', action('$.gone', { a: 1 }), 'no target', '/gone'],
    ['over a value', action('$.a', { b: 2 }), 'would overwrite', '/a/b'],
    ['into an empty map of the baseline', action('$.empty', { a: 1 }), 'would overwrite', '/empty'],
    ['into a list of plain values', action('$', { set: ['y'] }), 'would overwrite', '/set'],
    ['into an empty list', action('$', { none: [{ a: 1 }] }), 'would overwrite', '/none'],
    ['that adds nothing', action('$.a', {}), 'adds nothing', '/a'],
  ])('%s is refused', (_name, one, reason, pointer) => {
    const { root, refused } = applied(one, action('$', { z: 1 }));
    expect(refused).toMatchObject([{ reason, pointer }]);
    expect(plain(root)).toEqual({ ...(plain(BASELINE) as object), z: 1 });
  });

  test('may fill the empty map of another answer, and each fact keeps its action', () => {
    const { root, added, refused } = applied(
      action('$', { x: {} }),
      action('$.x', { y: 1 }, { 'x-question': 'two' }),
    );
    expect(refused).toEqual([]);
    expect(plain(root)).toMatchObject({ x: { y: 1 } });
    expect(new Set(Array.from(added.values(), ({ question }) => question))).toEqual(
      new Set(['retry', 'two']),
    );
  });
});

test('a target is written as it is read', () => {
  const steps = ['webhooks', '/plant/webhook', 'a', '0', "it's"];
  expect(targetTo(steps)).toBe(`$.webhooks['/plant/webhook'].a[0]["it's"]`);
  expect(targetSteps(targetTo(steps))).toEqual(steps);
  expect(targetSteps('$..a')).toBeUndefined();
});
