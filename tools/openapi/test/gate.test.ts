import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeAnswersOf } from '../src/gate/code-answers.js';
import { isClean, tally, tallyLine } from '../src/gate/gate.js';
import { action, found, gateOf, overlayOf, taking, withHook } from './documents.js';
import { WORKSPACE } from './run-cli.js';

const METHOD = action(
  "$.webhooks['/hook']",
  { post: {} },
  { 'x-question': 'http-method', 'x-answer': 'POST' },
);
const code = (answers: object) => codeAnswersOf({ ...answers });

describe('a fact is', () => {
  test.each<{ name: string; document: string; overlay?: string; want: string[] }>([
    { name: 'specified', document: withHook({}), want: [] },
    {
      name: 'missing',
      document: withHook({ summary: undefined }),
      want: ['missing /webhooks/~1hook/summary', 'invented /webhooks/~1hook'],
    },
    {
      name: 'contradicted',
      document: withHook({ summary: 'Other' }),
      want: ['contradicted /webhooks/~1hook/summary'],
    },
    { name: 'invented', document: withHook({ post: {} }), want: ['invented /webhooks/~1hook/post'] },
    {
      name: 'answered',
      document: withHook({ post: {} }),
      overlay: overlayOf(METHOD),
      want: ['answered /webhooks/~1hook/post'],
    },
    {
      name: 'answered, although another answer has filled its empty map',
      document: withHook({ post: { summary: 's' } }),
      overlay: overlayOf(METHOD),
      want: ['answered /webhooks/~1hook/post', 'invented /webhooks/~1hook/post/summary'],
    },
    {
      name: 'a stale answer, not shown',
      document: withHook({}),
      overlay: overlayOf(METHOD),
      want: ['stale answer /webhooks/~1hook/post'],
    },
    {
      name: 'a stale answer, without a target',
      document: withHook({}),
      overlay: overlayOf(action('$.gone', { a: 1 })),
      want: ['stale answer /gone'],
    },
  ])('$name', ({ document, overlay, want }) => {
    const texts = { document, ...(overlay !== undefined && { overlay }) };
    expect(found(texts)).toEqual(want);
    expect(isClean(gateOf(texts))).toBe(want.every((line) => line.startsWith('answered')));
  });
});

describe('both sides of an answer', () => {
  const both = (overlay: string | undefined, answers: object) =>
    gateOf({
      document: withHook({ post: {} }),
      ...(overlay !== undefined && { overlay }),
      answers: code(answers),
    }).answers.map(({ question, state }) => `${state}: ${question}`);
  const words = (question: string, value: unknown) =>
    action('$', undefined, { 'x-question': question, 'x-answer': value });

  test.each<[string, string | undefined, object, string[]]>([
    ['are equal', overlayOf(METHOD), { 'http-method': 'POST' }, ['answered: http-method']],
    ['differ', overlayOf(METHOD), { 'http-method': 'PUT' }, ['contradicting answers: http-method']],
    [
      'are equal by value, whatever the order of keys',
      overlayOf(words('retry', { a: 1, b: [2] })),
      { retry: { b: [2], a: 1 } },
      ['answered: retry'],
    ],
    ['differ by type', overlayOf(words('retry', '1')), { retry: 1 }, ['contradicting answers: retry']],
    ['lack the code', overlayOf(METHOD), {}, ['missing answer: http-method']],
    ['lack the overlay', undefined, { 'http-method': 'POST' }, ['missing answer: http-method']],
    [
      'lack the value',
      overlayOf(action("$.webhooks['/hook']", { post: {} })),
      { retry: 1 },
      ['answer without value: retry'],
    ],
    ['answer no question', overlayOf(words('nope', 1)), {}, ['unknown question: nope']],
    [
      'are words that nobody carries out',
      overlayOf(words('event-order', 'None.')),
      { 'event-order': 'None.' },
      ['not carried out: event-order'],
    ],
    [
      'are words for an executable question',
      overlayOf(words('retry', { inWords: 'any 2xx' })),
      { retry: { inWords: 'any 2xx' } },
      ['not carried out: retry'],
    ],
  ])('%s', (_name, overlay, answers, want) => {
    expect(both(overlay, answers)).toEqual(want);
  });

  test('words are counted apart, and pass', () => {
    const report = gateOf({
      document: withHook({}),
      overlay: overlayOf(words('event-order', 'None.')),
      answers: code({ 'event-order': 'None.' }),
    });
    expect(isClean(report)).toBe(true);
    expect(tallyLine(tally(report))).toBe(
      '4 specified, 0 missing, 0 contradicted, 0 invented, 0 answered, 1 not carried out',
    );
  });
});

describe('the name of a component', () => {
  const document = (name: string) =>
    withHook(taking({ $ref: `#/components/schemas/${name}` }), {
      components: { schemas: { [name]: { type: 'object' } } },
    });
  const inline = (question: string, answer: unknown) =>
    overlayOf(
      action("$.webhooks['/hook']", taking({ type: 'object' }), {
        'x-question': question,
        'x-answer': answer,
      }),
    );

  test('is invented, unless an answer names it', () => {
    const named = inline('payload', { plantField: 'plant', names: { payload: 'NewPlantEnvelope' } });
    expect(isClean(gateOf({ document: document('NewPlantEnvelope'), overlay: named }))).toBe(true);
    expect(found({ document: document('Order'), overlay: named })).toContain(
      'invented /components/schemas/Order',
    );
  });

  test('is stated by an action that adds it', () => {
    const overlay = overlayOf(
      action('$', { components: { schemas: { Order: { type: 'object' } } } }),
      action("$.webhooks['/hook']", taking({ $ref: '#/components/schemas/Order' })),
    );
    expect(isClean(gateOf({ document: document('Order'), overlay }))).toBe(true);
  });
});

describe('every mutation of the published document', () => {
  const text = readFileSync(join(WORKSPACE, 'apps/webhook/openapi.json'), 'utf8');

  /** Every document with one key or item deleted, one value changed, or one key added. */
  function mutations(root: object): [string, string][] {
    const mutated: [string, string][] = [];
    const copyWith = (
      name: string,
      path: readonly string[],
      change: (parent: never, key: string) => void,
    ): void => {
      const copy = JSON.parse(JSON.stringify(root)) as object;
      const parent = path
        .slice(0, -1)
        .reduce((node, key) => (node as Record<string, object>)[key] as object, copy);
      change(parent as never, path.at(-1) ?? '');
      mutated.push([`${name} ${path.join('/')}`, JSON.stringify(copy)]);
    };
    const visit = (node: object, path: readonly string[]): void => {
      for (const [key, value] of Object.entries(node) as [string, unknown][]) {
        const at = [...path, key];
        copyWith('delete', at, (parent: Record<string, unknown> | unknown[], last) => {
          if (Array.isArray(parent)) parent.splice(Number(last), 1);
          else Reflect.deleteProperty(parent, last);
        });
        copyWith('change', at, (parent: Record<string, unknown>, last) => (parent[last] = 'fresh'));
        if (typeof value !== 'object' || value === null) continue;
        copyWith(
          'add to',
          at,
          (parent: Record<string, Record<string, unknown>>, last) => (parent[last]!['fresh'] = 1),
        );
        visit(value, at);
      }
    };
    visit(root, []);
    return mutated.filter(([, mutation]) => mutation !== JSON.stringify(root));
  }

  test.each(mutations(JSON.parse(text) as object))('fails: %s', (_name, document) => {
    try {
      expect(isClean(gateOf({ baseline: text, document }))).toBe(false);
    } catch (error) {
      expect(error).toMatchObject({ name: 'ToolError' });
    }
  });
});
