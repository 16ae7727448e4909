import { gate, type GateReport } from '../src/gate/gate.js';
import { tally } from '../src/gate/tally.js';
import { action, ALL, ANSWERS, FILES, filesOf, HOOK, METHOD } from './answered-interface.js';
import { documentOf, reader } from './documents.js';
import { inFolder, runCli } from './run-cli.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const operation = (schema: object) => ({
  summary: 'S',
  requestBody: { content: { 'application/json': { schema } } },
  responses: { '200': { description: 'OK' } },
});
const SCHEMAS = {
  A: { type: 'object', properties: { shared: ref('Shared'), next: ref('A') } },
  B: { type: 'object', title: 'B', properties: { shared: ref('Shared') } },
  Shared: { type: 'string', title: 'S' },
};
const HOOKS = { a: { post: operation(ref('A')) }, b: { post: operation(ref('B')) } };
const whole = documentOf({ webhooks: HOOKS, components: { schemas: SCHEMAS } });
const withHooks = (webhooks: object) => documentOf({ webhooks, components: { schemas: SCHEMAS } });

function compared(baseline: string, document: string, overlay?: string): GateReport {
  const readText = reader({ baseline, document, ...(overlay !== undefined && { overlay }) });
  return gate({ readText, baseline: 'baseline', document: 'document', overlay: overlay && 'overlay' });
}

const states = ({ findings }: GateReport) => findings.map(({ state, pointer }) => `${state} ${pointer}`);

describe('what only one document has is one finding', () => {
  it.each<{ name: string; more: string; less: string; want: string[] }>([
    {
      name: 'a webhook, whose components stay',
      more: whole,
      less: withHooks({ a: HOOKS.a }),
      want: ['/webhooks/b'],
    },
    {
      name: 'a webhook, whose components go with it',
      more: whole,
      less: documentOf({
        webhooks: { a: HOOKS.a },
        components: { schemas: { A: SCHEMAS.A, Shared: SCHEMAS.Shared } },
      }),
      want: ['/webhooks/b'],
    },
    {
      name: 'each of several webhooks',
      more: whole,
      less: documentOf({ components: { schemas: SCHEMAS } }),
      want: ['/webhooks/a', '/webhooks/b'],
    },
    {
      name: 'an operation',
      more: withHooks({ ...HOOKS, a: { ...HOOKS.a, put: operation(ref('B')) } }),
      less: whole,
      want: ['/webhooks/a/put'],
    },
    {
      name: 'a path',
      more: documentOf({ paths: { '/a': HOOKS.a, '/b': HOOKS.b }, components: { schemas: SCHEMAS } }),
      less: documentOf({ paths: { '/a': HOOKS.a }, components: { schemas: SCHEMAS } }),
      want: ['/paths/~1b'],
    },
    {
      name: 'a webhook that shares its path item with another',
      more: documentOf({
        webhooks: { a: HOOKS.a, c: { $ref: '#/webhooks/a' } },
        components: { schemas: SCHEMAS },
      }),
      less: withHooks({ a: HOOKS.a }),
      want: ['/webhooks/c'],
    },
  ])('$name', ({ more, less, want }) => {
    const missing = compared(more, less);
    expect(states(missing)).toEqual(want.map((pointer) => `missing ${pointer}`));
    expect(tally(missing)).toMatchObject({ missing: want.length, contradicted: 0, invented: 0 });
    const invented = compared(less, more);
    expect(states(invented)).toEqual(want.map((pointer) => `invented ${pointer}`));
    expect(tally(invented)).toMatchObject({ missing: 0, contradicted: 0, invented: want.length });
  });

  it('but one with one fact is this fact', () => {
    const post = { responses: { '200': { description: 'OK' } } };
    const more = withHooks({ ...HOOKS, c: { post } });
    expect(states(compared(more, whole))).toEqual(['missing /webhooks/c/post/responses/200/description']);
  });

  it('and differences elsewhere are listed as before', () => {
    const other = { ...SCHEMAS, Shared: { type: 'string', title: 'Other' } };
    const document = documentOf({ webhooks: { a: HOOKS.a }, components: { schemas: other } });
    const place = '/requestBody/content/application~1json/schema/properties/shared/title';
    const report = compared(whole, document);
    expect(states(report)).toEqual([`contradicted /webhooks/a/post${place}`, 'missing /webhooks/b']);
    // Nothing uses B any more, so it is published where it is.
    expect(report.findings[0]?.alsoAt).toEqual(['/components/schemas/B/properties/shared/title']);
    expect(tally(report)).toMatchObject({ missing: 1, contradicted: 2, invented: 0 });
  });
});

describe('where answers belong to it, each fact is listed', () => {
  const answering = (target: string, update: object) =>
    JSON.stringify({ overlay: '1.0.0', actions: [{ ...action('retry', target), update }] });

  it('of a webhook that has an answer', () => {
    const overlay = answering('$.webhooks.b.post', { description: 'D' });
    const found = states(compared(whole, withHooks({ a: HOOKS.a }), overlay));
    expect(found).toContain('stale answer /webhooks/b/post/description');
    expect(found).toContain('missing /webhooks/b/post/summary');
    expect(found).not.toContain('missing /webhooks/b');
  });

  it('of a webhook that leads to an answer in a component', () => {
    const overlay = answering('$.components.schemas.B', { description: 'D' });
    const hooks = { a: HOOKS.a };
    const found = states(
      compared(whole, documentOf({ webhooks: hooks, components: { schemas: SCHEMAS } }), overlay),
    );
    expect(found.filter((one) => one.startsWith('stale answer'))).not.toEqual([]);
    expect(found).not.toContain('missing /webhooks/b');
  });

  it('and an operation beside the answer is still one finding', () => {
    const overlay = answering('$.webhooks.b.post', { description: 'D' });
    const baseline = withHooks({ ...HOOKS, b: { ...HOOKS.b, put: operation(ref('B')) } });
    expect(states(compared(baseline, withHooks({ a: HOOKS.a }), overlay))).toContain(
      'missing /webhooks/b/put',
    );
  });

  it('an answer that adds a whole webhook, which the document does not show, is stale for each fact', () => {
    const overlay = answering('$.webhooks', { c: { post: operation({ type: 'string' }) } });
    expect(states(compared(whole, whole, overlay))).toEqual(
      ['summary', 'requestBody/content/application~1json/schema/type', 'responses/200/description'].map(
        (field) => `stale answer /webhooks/c/post/${field}`,
      ),
    );
  });
});

describe('beside the answers of the code', () => {
  const listed = (given: Parameters<typeof filesOf>[0]) => {
    const { out } = inFolder(filesOf(given), (folder) => runCli(['diff', ...FILES], folder));
    return out.split('\n').filter((line) => /^[a-z][a-z ]*: /.test(line));
  };

  it('what follows from an answer is explained by it, and an operation that nothing explains is one finding', () => {
    const invented = { get: operation({ type: 'string' }) };
    expect(listed({ actions: [METHOD], invented })).toEqual([
      ...['receiver-response', 'event-identity', 'retry'].map(
        (id) => `missing answer: ${id}, not in the overlay`,
      ),
      'invented: webhooks › /hook › get   /webhooks/~1hook/get',
    ]);
    expect(listed({ actions: [], invented }).filter((line) => line.startsWith('invented'))).toEqual([
      'invented: webhooks › /hook › get   /webhooks/~1hook/get',
    ]);
    const put = action('http-method', HOOK, { put: {} }, { 'http-method': 'PUT' });
    expect(listed({ actions: [put, ...ALL.slice(1)], answers: ANSWERS, invented })).toEqual([
      'contradicting answers: http-method',
      'invented: webhooks › /hook › get   /webhooks/~1hook/get',
    ]);
  });
});

it('an operation is taken apart if some of it follows from an answer of the code', () => {
  const hook = (fields: object) => documentOf({ webhooks: { '/hook': { summary: 'Hook', ...fields } } });
  const texts = {
    baseline: hook({}),
    document: hook({ post: { operationId: 'o', summary: 'S', description: 'D' } }),
    without: hook({ post: { operationId: 'o' } }),
    answers: JSON.stringify({ source: 'a.ts', questions: ['q'], answers: { q: 1 } }),
  };
  const report = gate({
    readText: reader(texts),
    baseline: 'baseline',
    document: 'document',
    answers: 'answers',
    documentWithout: () => 'without',
  });
  expect(report.answers.map(({ state, question }) => `${state} ${question}`)).toEqual(['missing answer q']);
  expect(states(report)).toEqual(['invented /webhooks/~1hook/post/operationId']);
});

it('is told as one, with its place and an outline', () => {
  const files = { 'b.json': whole, 'd.json': withHooks({ a: HOOKS.a }) };
  const { code, out } = inFolder(files, (folder) =>
    runCli(['diff', '--baseline', 'b.json', '--document', 'd.json'], folder),
  );
  expect(code).toBe(1);
  expect(out).toContain('missing: webhooks › b   /webhooks/b\n  specification  { "post": … }   b.json:1\n');
  expect(out).toMatch(/\n13 specified, 1 missing, 0 contradicted, 0 invented, 0 answered\n$/);
});
