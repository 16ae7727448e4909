import type { FactChild, FactNode } from '../facts/fact.js';
import { type SourceEntry, toPlain } from '../read/source-node.js';

/** A schema of a document, reduced to what decides which values are valid. */
export type Schema = boolean | SchemaObject;

type Schemas = Readonly<Record<string, Schema>>;

/** The keywords of JSON Schema 2020-12 that decide. `format` does not: it is an annotation. */
export interface SchemaObject {
  /** The key of a definition of the store, not an address. */
  readonly $ref?: string;
  /** Marks a `$ref` that the document has as a part of the schema, and not in its place. */
  readonly $comment?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly dependentSchemas?: Schemas;
  readonly properties?: Schemas;
  readonly patternProperties?: Schemas;
  readonly additionalProperties?: Schema;
  readonly unevaluatedProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly items?: Schema;
  readonly unevaluatedItems?: Schema;
  readonly contains?: Schema;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly pattern?: string;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly maxContains?: number;
  readonly minContains?: number;
  readonly maxProperties?: number;
  readonly minProperties?: number;
}

/**
 * Turns schemas of a fact graph into plain ones. What comes at several places, or is referenced, becomes a definition:
 * a schema is as large as what is written, and may be circular.
 */
export class SchemaStore {
  /** By key, in the order in which they were found. */
  readonly definitions = new Map<string, Schema>();
  readonly #keys = new Map<FactNode, string>();
  readonly #met = new Set<FactNode>();
  readonly #shared = new Set<FactNode>();

  /** Without a schema, everything is valid. */
  schemaOf(node: FactNode | undefined): Schema {
    if (node === undefined) return true;
    this.#survey(node);
    const undefinedYet: FactNode[] = [];
    const schema = { $ref: this.#keyOf(node, undefinedYet) };
    for (let next = undefinedYet.pop(); next !== undefined; next = undefinedYet.pop())
      this.definitions.set(this.#keys.get(next) ?? '', this.#convert(next, undefinedYet));
    return schema;
  }

  /** What a reference without siblings stands for. Nothing fits what can't be read. */
  followed(schema: Schema): Schema {
    let target = schema;
    while (typeof target === 'object' && typeof target.$ref === 'string' && Object.keys(target).length === 1)
      target = this.definitions.get(target.$ref) ?? false;
    return target;
  }

  /** Finds out which schemas below come at several places. */
  #survey(root: FactNode): void {
    this.#shared.add(root);
    if (this.#met.has(root)) return;
    this.#met.add(root);
    const waiting = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const child of node.children.values()) {
        if (!child.node.shape.startsWith('schema')) continue;
        if (this.#met.has(child.node) || isReferenced(child)) this.#shared.add(child.node);
        if (this.#met.has(child.node)) continue;
        this.#met.add(child.node);
        waiting.push(child.node);
      }
    }
  }

  #schema(node: FactNode, undefinedYet: FactNode[]): Schema {
    return this.#shared.has(node)
      ? { $ref: this.#keyOf(node, undefinedYet) }
      : this.#convert(node, undefinedYet);
  }

  #keyOf(node: FactNode, undefinedYet: FactNode[]): string {
    const known = this.#keys.get(node);
    const key = known ?? `schema-${this.#keys.size}`;
    if (known === undefined) {
      this.#keys.set(node, key);
      undefinedYet.push(node);
    }
    return key;
  }

  #convert(node: FactNode, undefinedYet: FactNode[]): Schema {
    if (node.kind === 'value' && node.text === 'true') return true;
    if (node.kind === 'value' && node.text === 'false') return false;
    if (node.source.kind !== 'map') return UNREADABLE;
    const keywords: [string, unknown][] = [];
    for (const [keyword, child] of node.children) {
      if (keyword === '$ref') {
        keywords.push(['$ref', this.#keyOf(child.node, undefinedYet)], ['$comment', 'beside other keywords']);
      } else if (SCHEMA_KEYWORDS.has(keyword)) {
        const converted = this.#convertPart(child.node, undefinedYet);
        if (converted === undefined) return UNREADABLE;
        keywords.push([keyword, converted]);
      } else if (Object.hasOwn(VALUE_KEYWORDS, keyword)) {
        const value = toPlain(child.node.source);
        if (VALUE_KEYWORDS[keyword]?.(value) !== true) return UNREADABLE;
        keywords.push([keyword, value]);
      }
    }
    return Object.fromEntries(keywords);
  }

  /** A schema, or a map or a list of them. Undefined if it is none of these. */
  #convertPart(node: FactNode, undefinedYet: FactNode[]): unknown {
    const { shape, source, children } = node;
    if (shape === 'schema') return this.#schema(node, undefinedYet);
    const parts = Array.from(children, ([key, child]): [string, Schema] => [
      key,
      this.#schema(child.node, undefinedYet),
    ]);
    if (shape === 'schema{}' && source.kind === 'map') return Object.fromEntries(parts);
    return shape === 'schema[]' && source.kind === 'list' ? parts.map(([, schema]) => schema) : undefined;
  }
}

/** Leads to no definition, so that whatever uses it can't be checked. */
const UNREADABLE: Schema = { $ref: 'unreadable' };

const SCHEMA_KEYWORDS = new Set(
  [
    ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
    ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
    ['prefixItems', 'items', 'unevaluatedItems', 'contains'],
  ].flat(),
);

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem);
const isType = (value: unknown) => TYPES.includes(String(value));
const areNumbers = Object.fromEntries(
  ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'].map((keyword) => [keyword, isNumber]),
);
const areCounts = Object.fromEntries(
  ['Length', 'Items', 'Contains', 'Properties']
    .flatMap((what) => [`max${what}`, `min${what}`])
    .map((keyword) => [keyword, isCount]),
);

/** The other keywords that decide, and what their values must be. */
const VALUE_KEYWORDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...areNumbers,
  ...areCounts,
  type: (value) => isType(value) || (isListOf(isType)(value) && Array.isArray(value) && value.length > 0),
  enum: isListOf(() => true),
  const: () => true,
  required: isListOf(isText),
  dependentRequired: (value) =>
    typeof value === 'object' && value !== null && Object.values(value).every(isListOf(isText)),
  pattern: isText,
  uniqueItems: (value) => typeof value === 'boolean',
  multipleOf: (value) => typeof value === 'number' && value > 0,
};

function isReferenced({ node, place }: FactChild): boolean {
  return place !== node.source && (place as Partial<SourceEntry>).value !== node.source;
}
