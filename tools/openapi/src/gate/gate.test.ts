import { documentOf, reader, type Texts } from '../../test/documents.js';
import { formatPlace } from '../read/source-node.js';
import { gate, type GateInput, type GateReport } from './gate.js';
import { tally, tallyLine } from './tally.js';

const BASELINE = {
  'x-a': 1,
  paths: {},
  webhooks: { '/hook': { summary: 'Hook' } },
  security: [{ bearer: [] }],
};

const ANSWER = {
  'x-question': 'http-method',
  'x-answered-by': 'A. Person',
  'x-date': '2026-01-31',
  'x-reason': 'Minutes',
};

const PROVENANCE = 'x-answered-by: A. Person\n    x-date: 2026-01-31\n    x-reason: Minutes';

const run = (document: object, actions?: readonly object[], baseline: object = BASELINE) => {
  const overlay = { overlay: '1.0.0', info: { title: 'Answers', version: '1' }, actions };
  const texts: Texts = {
    'baseline.yaml': documentOf(baseline),
    'document.json': documentOf(document),
    'overlay.yaml': JSON.stringify(overlay),
  };
  const input: GateInput = { readText: reader(texts), baseline: 'baseline.yaml', document: 'document.json' };
  return gate(actions === undefined ? input : { ...input, overlay: 'overlay.yaml' });
};

const states = ({ findings }: Pick<GateReport, 'findings'>) =>
  findings.map(({ state, reason, pointer }) => [state, ...(reason === undefined ? [] : [reason]), pointer]);

const post = { responses: { '204': { description: 'Taken' } } };
const hook = (fields: object) => ({ ...BASELINE, webhooks: { '/hook': { summary: 'Hook', ...fields } } });

describe('the gate without answers', () => {
  it.each([
    { name: 'the same document', given: BASELINE, want: [] },
    {
      name: 'a changed decorator',
      given: hook({ summary: 'Other' }),
      want: [['contradicted', '/webhooks/~1hook/summary']],
    },
    {
      name: 'an added response',
      given: hook({ post }),
      want: [['invented', '/webhooks/~1hook/post/responses/204/description']],
    },
    {
      name: 'removed security',
      given: { ...BASELINE, security: undefined },
      want: [['missing', '/security/0/bearer']],
    },
    {
      name: 'emptied security',
      given: { ...BASELINE, security: [] },
      want: [['missing', '/security/0/bearer']],
    },
    {
      name: 'an added scope',
      given: { ...BASELINE, security: [{ bearer: ['x'] }] },
      want: [
        ['contradicted', '/security/0/bearer'],
        ['invented', '/security/0/bearer/0'],
      ],
    },
    {
      name: 'an alternative to security',
      given: { ...BASELINE, security: [{ bearer: [] }, {}] },
      want: [['invented', '/security/1']],
    },
    {
      name: 'an added path',
      given: { ...BASELINE, paths: { '/a': { summary: 's' } } },
      want: [
        ['contradicted', '/paths'],
        ['invented', '/paths/~1a/summary'],
      ],
    },
    {
      name: 'an empty text',
      given: hook({ description: '' }),
      want: [['invented', '/webhooks/~1hook/description']],
    },
    { name: 'an extension', given: { ...BASELINE, 'x-b': 1 }, want: [['invented', '/x-b']] },
    { name: 'a number as text', given: { ...BASELINE, 'x-a': '1' }, want: [['contradicted', '/x-a']] },
    {
      name: 'another key of the webhook',
      given: { ...BASELINE, webhooks: { Hook: { summary: 'Hook' } } },
      want: [
        ['missing', '/webhooks/~1hook/summary'],
        ['invented', '/webhooks/Hook/summary'],
      ],
    },
  ])('finds $name', ({ given, want }) => {
    expect(states(run(given))).toEqual(want);
  });

  it('finds a changed baseline', () => {
    const report = run(BASELINE, undefined, { ...BASELINE, 'x-a': 2, 'x-b': 1 });
    expect(states(report)).toEqual([
      ['contradicted', '/x-a'],
      ['missing', '/x-b'],
    ]);
    expect(tallyLine(tally(report))).toBe('6 specified, 1 missing, 1 contradicted, 0 invented, 0 answered');
  });
});

it('counts answers, and not the facts or the actions that belong to them', () => {
  const post = { 'x-b': 1, 'x-c': 2 };
  const says = { target: '$', 'x-answer': 'POST' };
  const adds = { target: "$.webhooks['/hook']", update: { post } };
  const counted = (...actions: object[]) =>
    tally(
      run(
        hook({ post }),
        actions.map((one) => ({ ...ANSWER, ...one })),
      ),
    ).answered;
  expect(counted(says, adds)).toBe(1);
  expect(counted(says, adds, { ...says, 'x-question': 'retry' })).toBe(2);
  expect(counted(adds, { ...says, 'x-question': 'retry', update: { 'x-d': 1 } })).toBe(1);
});

const target = "$.webhooks['/hook']";

describe('the gate with answers', () => {
  it.each([
    {
      name: 'an answer that the document shows',
      actions: [{ target, update: { post } }],
      document: hook({ post }),
      want: [['answered', '/webhooks/~1hook/post/responses/204/description']],
    },
    {
      name: 'an answer that the document does not show',
      actions: [{ target, update: { post } }],
      document: BASELINE,
      want: [['stale answer', 'not shown', '/webhooks/~1hook/post/responses/204/description']],
    },
    {
      name: 'an answer that the document shows otherwise',
      actions: [{ target, update: { description: 'a' } }],
      document: hook({ description: 'b' }),
      want: [['stale answer', 'shown differently', '/webhooks/~1hook/description']],
    },
    {
      name: 'more than what was answered',
      actions: [{ target, update: { post: { summary: 's' } } }],
      document: hook({ post: { summary: 's', description: 'd' } }),
      want: [
        ['answered', '/webhooks/~1hook/post/summary'],
        ['invented', '/webhooks/~1hook/post/description'],
      ],
    },
    {
      name: 'a target that is not there',
      actions: [{ target: '$.webhooks.other', update: { a: 1 } }],
      document: BASELINE,
      want: [['stale answer', 'no target', '/webhooks/other']],
    },
    {
      name: 'an answer over a fact',
      actions: [{ target, update: { summary: 'Other' } }],
      document: BASELINE,
      want: [['stale answer', 'would overwrite', '/webhooks/~1hook/summary']],
    },
    {
      name: 'an answer over an equal fact',
      actions: [{ target, update: { summary: 'Hook' } }],
      document: BASELINE,
      want: [['stale answer', 'would overwrite', '/webhooks/~1hook/summary']],
    },
    {
      name: 'an answer over an empty map',
      actions: [{ target: '$', update: { paths: { '/a': { summary: 's' } } } }],
      document: BASELINE,
      want: [['stale answer', 'would overwrite', '/paths']],
    },
    {
      name: 'an answer in an empty map',
      actions: [{ target: '$.paths', update: { '/a': { summary: 's' } } }],
      document: BASELINE,
      want: [['stale answer', 'would overwrite', '/paths']],
    },
    {
      name: 'an answer over another answer',
      actions: [
        { target, update: { post } },
        { target: `${target}.post.responses`, update: { '204': { description: 'x' } } },
      ],
      document: hook({ post }),
      want: [
        ['answered', '/webhooks/~1hook/post/responses/204/description'],
        ['stale answer', 'would overwrite', '/webhooks/~1hook/post/responses/204/description'],
      ],
    },
    {
      name: 'an answer to an answer',
      actions: [
        { target, update: { post } },
        { target: `${target}.post`, update: { summary: 's' } },
      ],
      document: hook({ post: { ...post, summary: 's' } }),
      want: [
        ['answered', '/webhooks/~1hook/post/responses/204/description'],
        ['answered', '/webhooks/~1hook/post/summary'],
      ],
    },
    {
      name: 'an answer in an empty map that another answer added',
      actions: [
        { target, update: { post: {} } },
        { target: `${target}.post`, update: { summary: 's' } },
      ],
      document: hook({ post: { summary: 's' } }),
      want: [['answered', '/webhooks/~1hook/post/summary']],
    },
    {
      name: 'items that several answers add to a list',
      actions: [
        { target, update: { parameters: [{ name: 'a', in: 'header' }] } },
        { target, update: { parameters: [{ name: 'b', in: 'header' }] } },
      ],
      document: hook({
        parameters: [
          { name: 'a', in: 'header' },
          { name: 'b', in: 'header' },
        ],
      }),
      want: [0, 1].flatMap((index) =>
        ['name', 'in'].map((key) => ['answered', `/webhooks/~1hook/parameters/${index}/${key}`]),
      ),
    },
    {
      name: 'items for a list of plain values',
      actions: [{ target: '$.security[0]', update: { bearer: ['a'] } }],
      document: BASELINE,
      want: [['stale answer', 'would overwrite', '/security/0/bearer']],
    },
    {
      name: 'one more item of a list',
      actions: [{ target: '$.security', update: { other: [] } }],
      document: { ...BASELINE, security: [{ bearer: [] }, { other: [] }] },
      want: [['answered', '/security/1/other']],
    },
    {
      name: 'an answer that is a default',
      actions: [
        { target, update: { post: { deprecated: false, summary: 's' } } },
        { target: `${target}.post`, update: { 'x-b': 1 } },
      ],
      document: hook({ post: { summary: 's', 'x-b': 1 } }),
      want: [
        ['answered', '/webhooks/~1hook/post/summary'],
        ['answered', '/webhooks/~1hook/post/x-b'],
      ],
    },
    {
      name: 'an answer that OpenAPI has no place for',
      actions: [{ target: '$', 'x-answer': 'none' }],
      document: BASELINE,
      want: [],
    },
    {
      name: 'an answer with an update that says nothing',
      actions: [{ target, update: {}, 'x-answer': 'PUT' }],
      document: BASELINE,
      want: [['stale answer', 'states nothing', '']],
    },
    {
      name: 'an answer that says nothing',
      actions: [{ target, update: {} }],
      document: BASELINE,
      want: [['stale answer', 'states nothing', '']],
    },
  ])('finds $name', ({ actions, document, want }) => {
    expect(
      states(
        run(
          document,
          actions.map((action) => ({ ...action, ...ANSWER })),
        ),
      ),
    ).toEqual(want);
  });

  it('follows what an answer references', () => {
    const content = (schema: object) => ({
      post: { requestBody: { content: { 'application/json': { schema } } } },
    });
    const actions = [
      { target: '$', update: { components: { schemas: { P: { type: 'object' } } } }, ...ANSWER },
      { target, update: content({ $ref: '#/components/schemas/P' }), ...ANSWER },
    ];
    const report = run(hook(content({ type: 'object' })), actions);
    expect(states(report)).toEqual([
      ['answered', '/webhooks/~1hook/post/requestBody/content/application~1json/schema/type'],
    ]);
    expect(report.specified).toBe(7);
  });

  it('binds an answer to who gave it', () => {
    const { findings } = run(hook({ post }), [{ target, update: { post }, ...ANSWER }]);
    const [finding] = findings;
    expect(finding?.action).toMatchObject({
      question: 'http-method',
      answeredBy: 'A. Person',
      date: '2026-01-31',
      reason: 'Minutes',
    });
  });

  it('takes what a YAML alias stands for as written at the alias', () => {
    const overlay = `overlay: 1.0.0
actions:
  - target: $.webhooks['/hook']
    update:
      post: &operation
        summary: &name Taken
    x-question: http-method
    x-answer: { a: *name }
    ${PROVENANCE}
  - target: $.webhooks['/hook']
    update:
      put: *operation
    x-question: retry
    x-answer: *operation
    ${PROVENANCE}
`;
    const operation = { summary: 'Taken' };
    const texts = (document: object): Texts => ({
      'baseline.yaml': documentOf(BASELINE),
      'document.json': documentOf(document),
      'overlay.yaml': overlay,
    });
    const report = (document: object) => {
      const files = { baseline: 'baseline.yaml', document: 'document.json', overlay: 'overlay.yaml' };
      return gate({ readText: reader(texts(document)), ...files });
    };
    const places = ({ findings }: GateReport) =>
      findings.map(({ state, pointer, action, baseline }) => [
        state,
        pointer,
        action?.question,
        baseline && formatPlace(baseline.place),
      ]);
    const both = report(hook({ post: operation, put: operation }));
    expect(places(both)).toEqual([
      ['answered', '/webhooks/~1hook/post/summary', 'http-method', 'overlay.yaml:6'],
      ['answered', '/webhooks/~1hook/put/summary', 'retry', 'overlay.yaml:14'],
    ]);
    expect(both.answers.map(({ action }) => action?.answer && formatPlace(action.answer))).toEqual([
      'overlay.yaml:8',
      'overlay.yaml:16',
    ]);
    expect(places(report(hook({ post: operation })))).toEqual([
      ['answered', '/webhooks/~1hook/post/summary', 'http-method', 'overlay.yaml:6'],
      ['stale answer', '/webhooks/~1hook/put/summary', 'retry', 'overlay.yaml:14'],
    ]);
  });
});
