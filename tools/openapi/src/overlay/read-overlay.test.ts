import { reader } from '../../test/documents.js';
import { SourceFiles } from '../read/source-files.js';
import { readOverlay, targetSteps } from './read-overlay.js';

const ACTION = {
  target: '$.info',
  update: { a: 1 },
  'x-question': 'q',
  'x-answered-by': 'A. Person',
  'x-date': '2026-01-31',
  'x-reason': 'Minutes',
};

const read = (overlay: object) =>
  readOverlay(new SourceFiles(reader({ 'a.yaml': JSON.stringify(overlay) })), 'a.yaml');
const readAction = (action: object) => read({ overlay: '1.0.0', actions: [action] });

describe('readOverlay', () => {
  it('reads actions with their provenance', () => {
    expect(readAction(ACTION)).toMatchObject([
      {
        target: '$.info',
        steps: ['info'],
        question: 'q',
        answeredBy: 'A. Person',
        date: '2026-01-31',
        reason: 'Minutes',
      },
    ]);
  });

  it.each<{ given: object; want: object }>([
    {
      given: { ...ACTION, 'x-answer': { a: [1] } },
      want: { update: { kind: 'map' }, answer: { kind: 'map' } },
    },
    {
      given: { ...ACTION, 'x-answer': 'a', target: '$', update: undefined },
      want: { steps: [], answer: { value: 'a' } },
    },
  ])('reads the answer itself', ({ given, want }) => {
    expect(readAction(given)).toMatchObject([want]);
  });

  it.each([
    {
      name: 'another kind of file',
      given: () => read({ openapi: '3.1.0' }),
      want: 'a.yaml:1: not an OpenAPI Overlay 1.0.0',
    },
    {
      name: 'another version',
      given: () => read({ overlay: '1.1.0', actions: [ACTION] }),
      want: 'not an OpenAPI Overlay 1.0.0',
    },
    {
      name: 'no actions',
      given: () => read({ overlay: '1.0.0', actions: [] }),
      want: '`actions` must be a list of at least one action',
    },
    {
      name: 'a removal',
      given: () => readAction({ ...ACTION, remove: true }),
      want: '`remove` is not allowed: an answer only adds',
    },
    {
      name: 'a wildcard',
      given: () => readAction({ ...ACTION, target: '$.paths.*' }),
      want: 'target `$.paths.*` must name exactly one place',
    },
    {
      name: 'an unknown field',
      given: () => readAction({ ...ACTION, 'x-by': 'x' }),
      want: 'an action has no field `x-by`',
    },
    {
      name: 'no update',
      given: () => readAction({ ...ACTION, update: undefined }),
      want: 'an action needs an `update` or an `x-answer`',
    },
    {
      name: 'a place that nothing is added to',
      given: () => readAction({ ...ACTION, update: undefined, 'x-answer': 1 }),
      want: 'an action without `update` must have the target `$`',
    },
    {
      name: 'a second answer to a question',
      given: () =>
        read({ overlay: '1.0.0', actions: [1, 2].map((answer) => ({ ...ACTION, 'x-answer': answer })) }),
      want: 'a.yaml:1: q already has an `x-answer` at a.yaml:1',
    },
    {
      name: 'a placeholder',
      given: () => readAction({ ...ACTION, 'x-answered-by': '<who answered>' }),
      want: '`x-answered-by` is `<who answered>`: fill it in',
    },
    {
      name: 'no question',
      given: () => readAction({ ...ACTION, 'x-question': ' ' }),
      want: 'an action needs a text in `x-question`',
    },
    {
      name: 'nobody',
      given: () => readAction({ ...ACTION, 'x-answered-by': undefined }),
      want: 'an action needs a text in `x-answered-by`',
    },
    {
      name: 'no reason',
      given: () => readAction({ ...ACTION, 'x-reason': undefined }),
      want: 'an action needs a text in `x-reason`',
    },
    {
      name: 'a date of another form',
      given: () => readAction({ ...ACTION, 'x-date': '31.1.2026' }),
      want: '`x-date` is `31.1.2026`: write a date such as 2026-01-31',
    },
    ...['2026-13-41', '2026-02-29', '2026-1-31'].map((date) => ({
      name: `a date that no calendar has: ${date}`,
      given: () => readAction({ ...ACTION, 'x-date': date }),
      want: `\`x-date\` is \`${date}\`: write a date such as 2026-01-31`,
    })),
  ])('refuses $name', ({ given, want }) => {
    expect(given).toThrow(want);
  });
});

describe('targetSteps', () => {
  it.each([
    { given: '$', want: [] },
    { given: '$.a.b_1', want: ['a', 'b_1'] },
    { given: "$['/plant/webhook'][0]", want: ['/plant/webhook', '0'] },
    { given: '$["a b"].c', want: ['a b', 'c'] },
    { given: '$["a\\"b"]', want: undefined },
    { given: '$.*', want: undefined },
    { given: '$..a', want: undefined },
    { given: '$[*]', want: undefined },
    { given: '$[0:1]', want: undefined },
    { given: '$[?@.a]', want: undefined },
    { given: "$['a','b']", want: undefined },
    { given: '$[-1]', want: undefined },
    { given: '$.a b', want: undefined },
    { given: 'a', want: undefined },
    { given: '', want: undefined },
  ])('reads $given', ({ given, want }) => {
    expect(targetSteps(given)).toEqual(want);
  });
});
