import { formatPlace } from '../read/place.js';
import { type SourceMap, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';
import { shapeOfField } from './openapi-objects.js';
import { data, object, type Shape } from './shape.js';

/**
 * Refuses a reference in a schema that has an `$id`. By JSON Schema 2020-12 §8.2.1 it is relative to that
 * address and not to the document: `#/components/schemas/A` would lead into the schema itself. This tool knows
 * schemas only by where they are written, so it must not follow such a reference; an `$id` without references
 * below is a fact like any other.
 *
 * @throws ToolError `bad-reference`
 */
export function refuseReferencesBelowId(schema: SourceMap): void {
  const id = valueAt(schema, '$id');
  if (id?.kind !== 'scalar' || typeof id.value !== 'string') return;
  const seen = new Set<SourceNode>();
  const waiting: { source: SourceNode; shape: Shape }[] = [{ source: schema, shape: object('schema') }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next.source)) continue;
    seen.add(next.source);
    if (isSchema(next.shape)) refuseReferenceIn(next.source, id);
    waiting.push(...partsOf(next.source, next.shape));
  }
}

function refuseReferenceIn(source: SourceNode, id: SourceNode): void {
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = stringAt(source, keyword);
    if (reference === undefined) continue;
    const problem = `${keyword} "${reference}" is relative to the $id at ${formatPlace(id)}, which is not supported; take the $id away`;
    throw new ToolError('bad-reference', `${formatPlace(source)}: ${problem}`);
  }
}

function isSchema(shape: Shape): boolean {
  return shape.is === 'object' && shape.name === 'schema';
}

function partsOf(source: SourceNode, shape: Shape): { source: SourceNode; shape: Shape }[] {
  if (source.kind === 'list' && shape.is === 'list') {
    return source.items.map((item) => ({ source: item, shape: shape.of }));
  }
  if (source.kind !== 'map') return [];
  return Array.from(source.entries, ([key, { value }]) => ({ source: value, shape: shapeBelow(shape, key) }));
}

function shapeBelow(shape: Shape, key: string): Shape {
  if (shape.is === 'map') return shape.of;
  return shape.is === 'object' ? shapeOfField(shape.name, key) : data;
}
