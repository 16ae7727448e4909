import { openapiOverlay } from 'openapi-format';
import { documentOf, reader } from '../../test/documents.js';
import { gate } from '../gate/gate.js';
import { SourceFiles } from '../read/source-files.js';
import { toPlain } from '../read/source-node.js';
import { applyOverlay } from './apply-overlay.js';
import { readOverlay } from './read-overlay.js';

const FIELDS = {
  webhooks: { '/hook': { summary: 'Hook' } },
  security: [{ bearer: [] }],
  components: { schemas: { length: { type: 'integer' } } },
};

const PROVENANCE = {
  'x-question': 'q',
  'x-answered-by': 'A. Person',
  'x-date': '2026-01-31',
  'x-reason': 'Minutes',
};

interface GivenAction {
  readonly target: string;
  readonly update?: object;
  readonly 'x-answer'?: unknown;
}

const textsOf = (...actions: readonly GivenAction[]) => ({
  baseline: documentOf(FIELDS),
  overlay: JSON.stringify({
    overlay: '1.0.0',
    actions: actions.map((action) => ({ ...action, ...PROVENANCE })),
  }),
});

/** What this tool makes of an overlay. */
function applied(...actions: readonly GivenAction[]) {
  const files = new SourceFiles(reader(textsOf(...actions)));
  return applyOverlay(files.root('baseline'), readOverlay(files, 'overlay'));
}

/**
 * What openapi-format makes of it. Under 1.0.0 it loses what is added to a list; for actions that only add, 1.1.0
 * means the same.
 */
async function appliedByLibrary(...actions: readonly GivenAction[]): Promise<unknown> {
  const overlaySet = {
    overlay: '1.1.0',
    info: { title: 'Answers', version: '1' },
    actions: actions.flatMap(({ target, update }) => (update === undefined ? [] : [{ target, update }])),
  };
  const { data } = (await openapiOverlay(JSON.parse(documentOf(FIELDS)) as object, { overlaySet })) as {
    data: unknown;
  };
  return data;
}

const target = "$.webhooks['/hook']";

describe('an overlay', () => {
  it.each<{ name: string; actions: readonly GivenAction[] }>([
    {
      name: 'a key',
      actions: [{ target, update: { put: { parameters: [{ name: 'a', in: 'header' }] } } }],
    },
    { name: 'an item of a list', actions: [{ target: '$.security', update: { other: [] } }] },
    { name: 'a key in an item', actions: [{ target: '$.security[0]', update: { other: ['a', 'b'] } }] },
    {
      name: 'keys at several depths',
      actions: [{ target: '$', update: { info: { summary: 's' }, 'x-a': [[1], { b: null }] } }],
    },
    {
      name: 'items of two actions',
      actions: ['a', 'b'].map((name) => ({ target, update: { parameters: [{ name, in: 'header' }] } })),
    },
    {
      name: 'a key in what another action added',
      actions: [
        { target, update: { put: {} } },
        { target: `${target}.put`, update: { summary: 's' } },
      ],
    },
    {
      name: 'a schema called `length`',
      actions: [{ target: '$.components.schemas', update: { width: {}, length: { minimum: 1 } } }],
    },
    { name: 'nothing', actions: [{ target: '$', 'x-answer': 1 }] },
  ])('adds $name as openapi-format does', async ({ actions }) => {
    const { root, refused } = applied(...actions);
    expect(refused).toEqual([]);
    expect(toPlain(root)).toEqual(await appliedByLibrary(...actions));
  });

  it('leaves the baseline as it is, and leaves out what is refused', () => {
    const files = new SourceFiles(reader(textsOf({ target: '$.gone', update: { a: 1 } })));
    const { root, refused } = applyOverlay(files.root('baseline'), readOverlay(files, 'overlay'));
    expect(refused).toMatchObject([{ reason: 'no target' }]);
    expect(root).toBe(files.root('baseline'));
  });
});

describe('the gate takes an answer that openapi-format applies otherwise', () => {
  it.each<{ name: string; action: GivenAction; want: string }>([
    {
      name: 'whose target is a key called `length`',
      action: { target: '$.components.schemas.length', update: { minimum: 1 } },
      want: '/components/schemas/length/minimum',
    },
    {
      name: 'that adds a key called `__proto__`',
      action: { target: '$', update: JSON.parse('{ "x-a": { "__proto__": { "b": 1 } } }') as object },
      want: '/x-a/__proto__/b',
    },
  ])('$name', ({ action, want }) => {
    const document = JSON.stringify(toPlain(applied(action).root));
    const texts = { ...textsOf(action), document };
    const report = gate({
      readText: reader(texts),
      baseline: 'baseline',
      document: 'document',
      overlay: 'overlay',
    });
    expect(report.findings.map(({ state, pointer }) => [state, pointer])).toEqual([['answered', want]]);
  });
});
