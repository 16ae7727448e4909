import type { ImpliedAction } from '../src/answers/implied-actions.js';
import { actionFields } from '../src/answers/overlay-actions.js';
import { gate, isClean } from '../src/gate/gate.js';
import { documentOf, reader } from './documents.js';

const PROVENANCE = { who: 'A. Person', date: '2026-01-31', reason: 'Minutes' };
const BASELINE = documentOf({
  webhooks: { '/hook': { summary: 'Hook' } },
  components: { securitySchemes: { bearer: { type: 'http' } } },
});

const post = (fields: object) => ({ webhooks: { '/hook': { summary: 'Hook', post: fields } } });
const content = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });
const document = (fields: object, schemas?: object) =>
  documentOf({
    ...fields,
    components: { securitySchemes: { bearer: { type: 'http' } }, ...(schemas && { schemas }) },
  });
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** What the gate says the only answer adds, and whether it passes with that. */
function impliedIn(shown: string, open = BASELINE): { actions: readonly ImpliedAction[]; isEnough: boolean } {
  const answers = JSON.stringify({ source: 'a.ts', questions: ['q'], answers: { q: 1 } });
  const texts = { baseline: BASELINE, shown, open, answers };
  const input = {
    baseline: 'baseline',
    document: 'shown',
    answers: 'answers',
    documentWithout: () => 'open',
  };
  const actions = gate({ ...input, readText: reader(texts) }).implied?.get('q')?.actions ?? [];
  const fields = actionFields({ question: 'q', value: 1, actions, provenance: PROVENANCE });
  const overlay = JSON.stringify({ overlay: '1.0.0', actions: fields });
  const after = gate({ ...input, overlay: 'overlay', readText: reader({ ...texts, overlay }) });
  return { actions, isEnough: isClean(after) };
}

const hook = ['webhooks', '/hook'];

describe('what an answer adds', () => {
  it.each<{ name: string; shown: string; open?: string; want: ImpliedAction[] }>([
    { name: 'nothing', shown: BASELINE, want: [] },
    {
      name: 'an empty map',
      shown: document(post({})),
      want: [{ steps: hook, update: { post: {} } }],
    },
    {
      name: 'values at several places',
      shown: document({ ...post({ summary: 's' }), 'x-a': [1] }),
      want: [
        { steps: hook, update: { post: { summary: 's' } } },
        { steps: [], update: { 'x-a': [1] } },
      ],
    },
    {
      name: 'a parameter beside another one, whatever their order',
      open: document(post({ parameters: [{ name: 'b', in: 'header' }] })),
      shown: document(post({ parameters: ['a', 'b'].map((name) => ({ name, in: 'header' })) })),
      want: [{ steps: hook, update: { post: { parameters: [{ name: 'a', in: 'header' }] } } }],
    },
    {
      name: 'a set, in its order',
      shown: document(post(content({ required: ['b', 'a'] }))),
      want: [{ steps: hook, update: { post: content({ required: ['b', 'a'] }) } }],
    },
    {
      name: 'a component where it is used',
      shown: document(post(content(refTo('A'))), { A: { type: 'null' } }),
      want: [{ steps: hook, update: { post: content({ type: 'null' }) } }],
    },
    {
      name: 'a schema that contains itself',
      shown: document(post(content(refTo('A'))), { A: { properties: { a: refTo('A') } } }),
      want: [
        { steps: hook, update: { post: content({ properties: { a: refTo('A') } }) } },
        { steps: ['components'], update: { schemas: { A: { properties: { a: refTo('A') } } } } },
      ],
    },
    {
      name: 'schemas that contain each other',
      shown: document(post(content({ allOf: [refTo('A')] })), {
        A: { items: refTo('B') },
        B: { properties: { a: refTo('A') } },
      }),
      want: [
        {
          steps: hook,
          update: { post: content({ allOf: [{ items: { properties: { a: refTo('A') } } }] }) },
        },
        { steps: ['components'], update: { schemas: { A: { items: { properties: { a: refTo('A') } } } } } },
      ],
    },
  ])('$name', ({ shown, open, want }) => {
    const { actions, isEnough } = impliedIn(shown, open);
    expect(actions).toEqual(want);
    // The parameter that is there without the answer is not answered here.
    expect(isEnough).toBe(open === undefined);
  });
});
