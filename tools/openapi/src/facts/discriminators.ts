import { escapeStep, pointerSteps } from '../read/json-pointer.js';
import { splitReference } from '../read/source-files.js';
import {
  formatPlace,
  type Place,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  stringAt,
  valueAt,
} from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';

/**
 * The Discriminator Object of a schema with all names in its `mapping`, as references to what they choose
 * (OpenAPI 3.1.0 §4.8.25): it is a fact which schema a value chooses.
 *
 * - A schema that is referenced as `#/components/schemas/NAME` in `oneOf` or `anyOf` is chosen by NAME.
 * - A name in `mapping` chooses the component of that name, or the schema that it refers to. An address that
 *   is not local stays a text.
 *
 * @param root the document, for its components
 * @throws ToolError `not-supported` where only the schemas that inherit from this one say what is chosen
 */
export function spelledOut(root: SourceNode, schema: SourceMap, discriminator: SourceNode): SourceNode {
  const mapping = valueAt(discriminator, 'mapping');
  const lists = ['oneOf', 'anyOf'].flatMap((keyword) => valueAt(schema, keyword) ?? []);
  if (discriminator.kind !== 'map' || (mapping !== undefined && mapping.kind !== 'map')) return discriminator;
  if (mapping === undefined && lists.length === 0) {
    const problem =
      'discriminator without `mapping`, `oneOf` or `anyOf` is not supported: write its `mapping`';
    throw new ToolError('not-supported', `${formatPlace(discriminator)}: ${problem}`);
  }
  const names = new Map<string, SourceEntry>();
  for (const item of lists.flatMap((list) => (list.kind === 'list' ? list.items : []))) {
    const reference = stringAt(item, '$ref') ?? '';
    const name = componentName(reference);
    if (name !== undefined) names.set(name, referenceAt(item, reference));
  }
  for (const [name, entry] of mapping?.entries ?? []) names.set(name, chosenBy(entry, root));
  if (names.size === 0) return discriminator;
  const { file, start, end } = mapping ?? discriminator;
  const value: SourceMap = { kind: 'map', entries: names, file, start, end };
  const entry = { file, start, end, ...discriminator.entries.get('mapping'), value };
  return { ...discriminator, entries: new Map(discriminator.entries).set('mapping', entry) };
}

/** NAME, if a reference is `#/components/schemas/NAME`. */
function componentName(reference: string): string | undefined {
  const { address, fragment = '' } = splitReference(reference) ?? {};
  const [components, schemas, name, ...more] = pointerSteps(fragment);
  const isComponent = address === '' && components === 'components' && schemas === 'schemas';
  return isComponent && more.length === 0 ? name : undefined;
}

/** A value of `mapping`. A name of a component goes before an address. */
function chosenBy(entry: SourceEntry, root: SourceNode): SourceEntry {
  const text = entry.value.kind === 'scalar' ? String(entry.value.value) : '';
  const components = valueAt(root, 'components');
  const schemas = components && valueAt(components, 'schemas');
  if (schemas !== undefined && valueAt(schemas, text) !== undefined) {
    return referenceAt(
      { ...entry, file: root.file },
      `#/components/schemas/${encodeURIComponent(escapeStep(text))}`,
    );
  }
  const isLocal = /[#/]/.test(text) && !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(text);
  return isLocal ? referenceAt(entry, text) : entry;
}

function referenceAt({ file, start, end }: Place, reference: string): SourceEntry {
  const place = { file, start, end };
  const value: SourceNode = { kind: 'scalar', value: reference, ...place };
  return { ...place, value: { kind: 'map', entries: new Map([['$ref', { ...place, value }]]), ...place } };
}
