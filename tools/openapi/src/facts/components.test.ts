import { differences, documentOf } from '../../test/documents.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A document with one webhook for each schema, and these components. */
function documentWith(payloads: readonly object[], schemas: object) {
  const hooks = payloads.map((schema, index) => [
    `h${index}`,
    { post: { requestBody: { content: { 'application/json': { schema } } } } },
  ]);
  const webhooks: unknown = Object.fromEntries(hooks);
  return { 'main.yaml': documentOf({ webhooks, components: { schemas } }) };
}

type Found = readonly (readonly (string | undefined)[])[];

function found(...[first, second]: Parameters<typeof differences>): Found {
  const listed = differences(first, second);
  return listed.map(({ pointer, first, second }) => [pointer, first?.text, second?.text]);
}

const P = { type: 'string' };
const Q = { type: 'object', properties: { a: ref('P'), q: ref('Q') } };
const USE = '/webhooks/h0/post/requestBody/content/application~1json/schema';

describe('a component of both documents that only one of them uses', () => {
  const used = documentWith([ref('P')], { P });

  it.each<{ name: string; unused: ReturnType<typeof documentWith>; want: Found }>([
    { name: 'is no difference if it is equal', unused: documentWith([P], { P }), want: [] },
    {
      name: 'is no difference of its own where its use is gone',
      unused: documentWith([{ title: 'T' }], { P }),
      want: [
        [`${USE}/type`, '"string"', undefined],
        [`${USE}/title`, undefined, '"T"'],
      ],
    },
    {
      name: 'is a difference at its place in components if it is another one',
      unused: documentWith([P], { P: { type: 'number' } }),
      want: [['/components/schemas/P/type', '"string"', '"number"']],
    },
    {
      name: 'is a difference of its own if it has something more',
      unused: documentWith([P], { P: { ...P, title: 'T' } }),
      want: [['/components/schemas/P/title', undefined, '"T"']],
    },
    {
      name: 'is another one under another name',
      unused: documentWith([P], { Other: P }),
      want: [['/components/schemas/Other/type', undefined, '"string"']],
    },
  ])('$name', ({ unused, want }) => {
    expect(found(used, unused)).toEqual(want);
    const reversed = want.map(([pointer, one, other]) => [pointer, other, one]);
    expect([...found(unused, used)].sort()).toEqual([...reversed].sort());
  });

  it('is no difference if it leads to other components, and back to itself', () => {
    const both = documentWith([ref('P'), ref('Q')], { P, Q });
    const inline = { type: 'object', properties: { a: P, q: ref('Q') } };
    expect(found(both, documentWith([P, inline], { P, Q }))).toEqual([]);
    const gone = found(both, documentWith([P], { P, Q }));
    expect(
      gone.map(([pointer]) => pointer).filter((pointer) => !pointer?.startsWith('/webhooks/h1')),
    ).toEqual([]);
  });

  it('is compared through an alias', () => {
    const alias = { P, A: ref('P') };
    expect(found(documentWith([ref('A')], alias), documentWith([P], alias))).toEqual([]);
  });
});
