import { documentOf, reader } from '../../test/documents.js';
import { gate } from '../gate/gate.js';

const BASELINE = documentOf({
  webhooks: { '/hook': { summary: 'Hook' } },
  security: [{ bearer: [] }],
  components: { schemas: { length: { type: 'integer' } } },
});

function withActions(...actions: { target: string; update?: object; 'x-answer'?: unknown }[]) {
  const provenance = {
    'x-question': 'q',
    'x-answered-by': 'A. Person',
    'x-date': '2026-01-31',
    'x-reason': 'Minutes',
  };
  const overlay = { overlay: '1.0.0', actions: actions.map((action) => ({ ...action, ...provenance })) };
  const readText = reader({ b: BASELINE, o: JSON.stringify(overlay) });
  return gate({ readText, baseline: 'b', document: 'b', overlay: 'o' });
}

const target = "$.webhooks['/hook']";

it.each([
  ['a key', { target, update: { put: { parameters: [{ name: 'a', in: 'header' }] } } }],
  ['an item of a list', { target: '$.security', update: { other: [] } }],
  ['a key in an item of a list', { target: '$.security[0]', update: { other: ['a', 'b'] } }],
  ['keys at several depths', { target: '$', update: { info: { summary: 's' }, 'x-a': [[1], { b: null }] } }],
  ['nothing', { target: '$', 'x-answer': 1 }],
])('openapi-format adds %s as this tool does', async (_name, action) => {
  await expect(withActions(action)).resolves.toBeDefined();
});

it('openapi-format is not asked about an action that is refused', async () => {
  const { findings } = await withActions({ target: '$.gone', update: { a: 1 } });
  expect(findings).toMatchObject([{ reason: 'no target' }]);
});

it.each([
  // It takes the key for the length of a list.
  [{ target: '$.components.schemas.length', update: { minimum: 1 } }, '/components/schemas/length/minimum'],
  [{ target: '$', update: JSON.parse('{ "x-a": { "__proto__": { "b": 1 } } }') as object }, '/x-a/__proto__'],
])('the tool fails where openapi-format makes something else of %j', async (action, at) => {
  await expect(withActions(action)).rejects.toMatchObject({
    code: 'bad-overlay',
    message: expect.stringContaining(`o: openapi-format applies it otherwise at ${at};`) as string,
  });
});
