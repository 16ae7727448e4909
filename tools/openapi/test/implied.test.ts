import { type ImpliedAction, impliedBy } from '../src/gate/implied.js';
import { answerActions } from '../src/answers/overlay-source.js';
import { isClean } from '../src/gate/gate.js';
import { gateOf, overlayOf, taking, withHook } from './documents.js';

const hook = ['webhooks', '/hook'];
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const parameters = (...names: string[]) => ({
  post: { parameters: names.map((name) => ({ name, in: 'header' })) },
});

const implied = (document: string, without: Readonly<Record<string, string>>) =>
  impliedBy(
    { text: withHook({}), file: 'b.json' },
    { text: document, file: 'd.json' },
    new Map(Object.entries(without).map(([question, text]) => [question, { text, file: question }])),
  );

describe('an answer adds', () => {
  test.each<{ name: string; shown: string; open?: string; want: ImpliedAction[] }>([
    { name: 'nothing', shown: withHook({}), want: [] },
    { name: 'an empty map', shown: withHook({ post: {} }), want: [{ steps: hook, update: { post: {} } }] },
    {
      name: 'values at several places',
      shown: withHook({ post: { summary: 's' } }, { 'x-a': [1] }),
      want: [
        { steps: hook, update: { post: { summary: 's' } } },
        { steps: [], update: { 'x-a': [1] } },
      ],
    },
    {
      name: 'a parameter beside another one, whatever their order',
      open: withHook(parameters('b')),
      shown: withHook(parameters('a', 'b')),
      want: [{ steps: hook, update: parameters('a') }],
    },
    {
      name: 'a set, in its order',
      shown: withHook(taking({ required: ['b', 'a'] })),
      want: [{ steps: hook, update: taking({ required: ['b', 'a'] }) as Record<string, unknown> }],
    },
    {
      name: 'a component where it is used',
      shown: withHook(taking(refTo('Plant')), { components: { schemas: { Plant: { type: 'null' } } } }),
      want: [{ steps: hook, update: taking({ type: 'null' }) as Record<string, unknown> }],
    },
    {
      name: 'a schema that contains itself',
      shown: withHook(taking(refTo('Plant')), {
        components: { schemas: { Plant: { items: refTo('Plant') } } },
      }),
      want: [
        { steps: hook, update: taking(refTo('Plant')) as Record<string, unknown> },
        { steps: [], update: { components: { schemas: { Plant: { items: refTo('Plant') } } } } },
      ],
    },
  ])('$name', ({ shown, open = withHook({}), want }) => {
    const { actions = [] } = implied(shown, { 'plant-fields': open }).get('plant-fields') ?? {};
    expect(actions).toEqual(want);
    const answer = {
      question: 'plant-fields',
      value: {},
      actions,
      answeredBy: 'A',
      date: '2026-01-31',
      reason: 'M',
    };
    const report = gateOf({ document: shown, overlay: overlayOf(...answerActions(answer)) });
    // The parameter that is there without the answer is not answered here.
    expect(isClean(report)).toBe(open === withHook({}));
  });
});

test('what needs several answers belongs to the most specific', () => {
  const shown = withHook(taking({ type: 'object' }));
  const found = implied(shown, {
    'http-method': withHook({}),
    'plant-fields': withHook(taking({})),
    'media-type': withHook({ post: {} }),
  });
  expect(found.get('plant-fields')?.places).toHaveLength(1);
  expect(found.get('media-type')?.places).toEqual([]);
});
