import fc from 'fast-check';
import { changesBetween } from '../src/changes/changes.js';
import { ToolError } from '../src/read/tool-error.js';
import { documents } from './arbitraries.js';
import { differences, factTexts, reader, type Texts } from './documents.js';
import { mutate, mutations } from './mutations.js';
import { asYaml, inTwoFiles, reversedKeys, unrolled, usedSchemas, withCopies } from './rewrites.js';

/** `PROPERTY_RUNS=20` looks twenty times as long as usual. */
const FACTOR = Number(process.env['PROPERTY_RUNS'] ?? 1);
/** A run that takes too long fails; it doesn't pass with fewer documents. */
const LIMITS = {
  numRuns: 100 * FACTOR,
  interruptAfterTimeLimit: 50_000 * FACTOR,
  markInterruptAsFailure: true,
};
const TIME_OUT = 60_000 * FACTOR;

const main = (text: string): Texts => ({ 'main.yaml': text });

/**
 * Without the schemas that nobody uses: they are facts of their own, so that a rewrite which takes away the
 * last use of a schema is not an equivalent one.
 */
function published(document: object): object {
  const { components, ...rest } = document as { components: { schemas: object } };
  const used = usedSchemas(document);
  const schemas = Object.entries(components.schemas).filter(([name]) => used.has(name));
  return schemas.length === 0 ? rest : { ...rest, components: { schemas: Object.fromEntries(schemas) } };
}

describe('equivalent documents have the same facts', () => {
  it.each<{ name: string; rewrite: (document: object) => Texts }>([
    { name: 'with keys in another order', rewrite: (document) => main(reversedKeys(document)) },
    { name: 'in YAML', rewrite: (document) => main(asYaml(document)) },
  ])(
    '$name',
    ({ rewrite }) => {
      const property = fc.property(documents, (document) => {
        expectSame(main(JSON.stringify(document)), rewrite(document));
      });
      fc.assert(property, LIMITS);
    },
    TIME_OUT,
  );

  it.each<{ name: string; rewrite: (document: object) => Texts }>([
    {
      name: 'with every reference unrolled once',
      rewrite: (document) => main(JSON.stringify(published(unrolled(document) as object))),
    },
    {
      name: 'with copies of shared schemas',
      rewrite: (document) => main(JSON.stringify(published(withCopies(document) as object))),
    },
    { name: 'in two files', rewrite: inTwoFiles },
  ])(
    '$name',
    ({ rewrite }) => {
      const property = fc.property(documents, (any) => {
        const document = published(any);
        expectSame(main(JSON.stringify(document)), rewrite({ components: { schemas: {} }, ...document }));
      });
      fc.assert(property, LIMITS);
    },
    TIME_OUT,
  );
});

/** With a title for each schema, so that taking away a reference to a schema can never leave the same. */
function titled(document: object): object {
  const { components } = document as { components: { schemas: Record<string, object> } };
  const schemas = Object.entries(components.schemas).map(([title, schema]) => [title, { ...schema, title }]);
  return { ...document, components: { schemas: Object.fromEntries(schemas) as object } };
}

describe('any single mutation', () => {
  it(
    'gives a difference or keeps the document from being read',
    () => {
      const property = fc.property(documents.map(titled), mutations, (document, mutation) => {
        const mutated = JSON.stringify(mutate(document, mutation));
        fc.pre(mutated !== JSON.stringify(document));
        expect(isDifferent(main(JSON.stringify(document)), main(mutated))).toBe(true);
        expect(isListedAsChange(main(JSON.stringify(document)), main(mutated))).toBe(true);
      });
      fc.assert(property, { ...LIMITS, numRuns: 600 * FACTOR });
    },
    TIME_OUT,
  );
});

/** Circular facts are named by their first place, which another order of keys or another way in may change. */
function expectSame(one: Texts, other: Texts): void {
  expect(differences(one, other)).toEqual([]);
  expect(differences(other, one)).toEqual([]);
  const facts = factTexts(one);
  const isCircular = Object.values(facts).some((text) => text.startsWith('{"$ref"'));
  if (!isCircular) expect(factTexts(other)).toEqual(facts);
}

function isDifferent(one: Texts, other: Texts): boolean {
  try {
    return differences(one, other).length > 0;
  } catch (error) {
    if (error instanceof ToolError) return true;
    throw error;
  }
}

function isListedAsChange(one: Texts, other: Texts): boolean {
  try {
    const before = { readText: reader(one), path: 'main.yaml' };
    return changesBetween({ before, after: { readText: reader(other), path: 'main.yaml' } }).length > 0;
  } catch (error) {
    if (error instanceof ToolError) return true;
    throw error;
  }
}
