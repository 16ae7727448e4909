import { escapeStep, pointerSteps } from '../read/json-pointer.js';
import type { Place } from '../read/place.js';
import type { SourceFiles } from '../read/source-files.js';
import { type SourceEntry, type SourceMap, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';

const SCHEMAS = '/components/schemas/';

/**
 * Spells discriminators out (OpenAPI 3.1.0 §4.8.25), so that it is a fact which schema a value chooses.
 *
 * A schema that is referenced as `#/components/schemas/NAME` in `oneOf` or `anyOf` is chosen by NAME, whether
 * there is a `mapping` or not; without either list, so is each component that has the schema in its `allOf`.
 * Written in place it could not be chosen, and under another name it would be chosen by another value. These
 * names are put into `mapping` beside those that are there, as references to what they choose. A mapping
 * that leads to no component and no local schema stays a text.
 */
export class Discriminators {
  #heirs: ReadonlyMap<SourceNode, readonly string[]> | undefined;

  constructor(
    readonly files: SourceFiles,
    readonly root: SourceNode,
  ) {}

  /** The Discriminator Object of `schema` with all names in its `mapping`. */
  spelledOut(schema: SourceMap, discriminator: SourceNode): SourceNode {
    const mapping = valueAt(discriminator, 'mapping');
    if (discriminator.kind !== 'map' || (mapping !== undefined && mapping.kind !== 'map'))
      return discriminator;
    const names = this.#implicitNames(schema, discriminator);
    for (const [name, entry] of mapping?.entries ?? []) names.set(name, this.#explicitName(entry));
    if (names.size === 0) return discriminator;
    const { file, start, end } = mapping ?? discriminator;
    const value: SourceMap = { kind: 'map', entries: names, file, start, end };
    const entries = new Map(discriminator.entries);
    entries.set('mapping', { file, start, end, ...entries.get('mapping'), value });
    return { ...discriminator, entries };
  }

  #implicitNames(schema: SourceMap, place: Place): Map<string, SourceEntry> {
    const lists = ['oneOf', 'anyOf'].map((keyword) => valueAt(schema, keyword));
    const names = new Map<string, SourceEntry>();
    if (lists.every((list) => list === undefined)) {
      for (const name of this.#heirsOf(schema)) names.set(name, this.#component(name, place));
    }
    for (const item of lists.flatMap((list) => (list?.kind === 'list' ? list.items : []))) {
      const reference = stringAt(item, '$ref');
      const name = reference === undefined ? undefined : this.#nameIn(reference, item);
      if (reference !== undefined && name !== undefined) names.set(name, referenceAt(reference, item));
    }
    return names;
  }

  #nameIn(reference: string, from: SourceNode): string | undefined {
    this.files.resolve(reference, from);
    const pointer = decodeURIComponent(reference.slice(reference.indexOf('#') + 1));
    const [, , name, ...more] = pointerSteps(pointer);
    return pointer.startsWith(SCHEMAS) && more.length === 0 ? name : undefined;
  }

  /** A name of a component goes before an address. */
  #explicitName(entry: SourceEntry): SourceEntry {
    const { value } = entry;
    if (value.kind !== 'scalar' || typeof value.value !== 'string') return entry;
    if (this.#components().has(value.value)) return this.#component(value.value, entry);
    return this.#isLocal(value.value, entry) ? referenceAt(value.value, entry) : entry;
  }

  #isLocal(reference: string, from: Place): boolean {
    try {
      this.files.resolve(reference, from);
      return true;
    } catch (error) {
      if (error instanceof ToolError && ['bad-reference', 'missing-target'].includes(error.code))
        return false;
      throw error;
    }
  }

  #component(name: string, { start, end }: Place): SourceEntry {
    const reference = `#${SCHEMAS}${encodeURIComponent(escapeStep(name))}`;
    return referenceAt(reference, { file: this.root.file, start, end });
  }

  #components(): ReadonlyMap<string, SourceEntry> {
    const components = valueAt(this.root, 'components');
    const schemas = components && valueAt(components, 'schemas');
    return schemas?.kind === 'map' ? schemas.entries : new Map();
  }

  /** Components that have the schema in their `allOf`, or one that does. */
  #heirsOf(schema: SourceNode): ReadonlySet<string> {
    const heirs = new Set<string>();
    const waiting = [schema];
    for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
      this.#heirs ??= this.#findHeirs();
      for (const name of this.#heirs.get(parent) ?? []) {
        const heir = this.#components().get(name)?.value;
        if (heir !== undefined && !heirs.has(name)) waiting.push(heir);
        heirs.add(name);
      }
    }
    return heirs;
  }

  #findHeirs(): ReadonlyMap<SourceNode, readonly string[]> {
    const heirs = new Map<SourceNode, string[]>();
    for (const [name, { value }] of this.#components()) {
      const all = valueAt(value, 'allOf');
      for (const item of all?.kind === 'list' ? all.items : []) {
        for (const parent of this.#followed(item)) heirs.set(parent, [...(heirs.get(parent) ?? []), name]);
      }
    }
    return heirs;
  }

  /** Everything that a reference leads to, one after the other. */
  #followed(item: SourceNode): ReadonlySet<SourceNode> {
    const seen = new Set<SourceNode>();
    let source = item;
    for (let to = stringAt(source, '$ref'); to !== undefined; to = stringAt(source, '$ref')) {
      source = this.files.resolve(to, source);
      if (seen.has(source)) break;
      seen.add(source);
    }
    return seen;
  }
}

function referenceAt(reference: string, { file, start, end }: Place): SourceEntry {
  const place = { file, start, end };
  const value: SourceNode = { kind: 'scalar', value: reference, ...place };
  return { ...place, value: { kind: 'map', entries: new Map([['$ref', { ...place, value }]]), ...place } };
}
