import { escapeStep, pointerOf, pointerSteps } from '../read/json-pointer.js';
import type { SourceFiles } from '../read/source-files.js';
import { type Place, type SourceMap, type SourceNode, stringAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';
import type { Fault } from './fault.js';
import { FIELDS_TOGETHER } from './fields-together.js';
import { isObject, type Kind, type ObjectName, RULES, type Single, wordsOf } from './objects.js';
import { isRegularExpression, nameOf, VALUES } from './values.js';

/** A part of a document: what must stand there, and where its name is written. */
export interface Part {
  readonly node: SourceNode;
  readonly kind: Kind;
  readonly pointer: string;
  readonly place: Place;
}

/** A `$ref` that is followed. */
interface Reference {
  readonly from: Part;
  readonly target: SourceNode;
  readonly reference: string;
}

/** What is wrong with each part of a document by itself, and every part that is an object of OpenAPI. */
export interface Structure {
  readonly faults: readonly Fault[];
  readonly objects: ReadonlyMap<ObjectName, readonly (Part & { readonly node: SourceMap })[]>;
}

/** Dialects of JSON Schema whose keywords the tables have. */
const DIALECTS =
  /^https:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.1\/dialect\/[^#]*)#?$/;

/** Checks each part of a document, and what its references lead to, once. */
export function checkStructure(files: SourceFiles, root: SourceNode): Structure {
  return new StructureChecker(files).run(root);
}

class StructureChecker {
  readonly #faults: Fault[] = [];
  readonly #objects = new Map<ObjectName, (Part & { node: SourceMap })[]>();
  readonly #known = new Map<SourceNode, Kind>();
  readonly #waiting: Part[] = [];
  readonly #references: Reference[] = [];

  constructor(readonly files: SourceFiles) {}

  run(root: SourceNode): Structure {
    this.#waiting.push({ node: root, kind: 'openapi', pointer: '', place: root });
    this.#checkAll();
    // What a place in the document says about a part counts before what a reference expects.
    for (const reference of this.#references) {
      this.#follow(reference);
      this.#checkAll();
    }
    return { faults: this.#faults, objects: this.#objects };
  }

  #checkAll(): void {
    for (let part = this.#waiting.pop(); part !== undefined; part = this.#waiting.pop()) this.#check(part);
  }

  #follow({ from, target, reference }: Reference): void {
    const known = this.#known.get(target);
    if (known === undefined) {
      const pointer = pointerOf(pointerSteps(decodeURIComponent(reference.split('#')[1] ?? '')));
      this.#waiting.push({ node: target, kind: from.kind, pointer, place: target });
    } else if (known !== from.kind) {
      const problem = `leads to ${words(known)}, but ${words(from.kind)} must stand here`;
      this.#fail({ ...from, pointer: `${from.pointer}/$ref` }, problem);
    }
  }

  #check(part: Part): void {
    const { node, kind } = part;
    if (this.#known.has(node)) return;
    // A reference to data says what the data is.
    if (kind !== 'any') this.#known.set(node, kind);
    const [, single = '', several = ''] = /^(.*?)(\[1?\]|\{\})?$/.exec(kind) ?? [];
    if (several === '{}') this.#checkMap(part, single as Single);
    else if (several !== '') this.#checkList(part, single as Single, several === '[1]');
    else if (isObject(single)) this.#checkObject(part, single);
    else {
      const problem = VALUES[single as keyof typeof VALUES](node);
      if (problem !== undefined) this.#fail(part, problem);
    }
  }

  #checkMap(part: Part, kind: Single): void {
    const { node } = part;
    if (node.kind !== 'map') return this.#fail(part, `must be a map (got ${nameOf(node)})`);
    for (const [key, entry] of node.entries) {
      this.#push(part, node, key, kind);
      const problem = problemOfKey(part.pointer, key, kind);
      if (problem !== undefined) this.#fail(partBelow(part, key, entry), problem);
    }
  }

  #checkList(part: Part, kind: Single, isNotEmpty: boolean): void {
    const { node } = part;
    if (node.kind !== 'list') return this.#fail(part, `must be a list (got ${nameOf(node)})`);
    if (isNotEmpty && node.items.length === 0) this.#fail(part, 'must have at least one item');
    for (const [index, item] of node.items.entries())
      this.#waiting.push({ node: item, kind, pointer: `${part.pointer}/${index}`, place: item });
  }

  #checkObject(part: Part, name: ObjectName): void {
    const { node } = part;
    if (name === 'schema' && node.kind === 'scalar' && typeof node.value === 'boolean') return;
    if (node.kind !== 'map') return this.#fail(part, `must be ${wordsOf(name)} (got ${nameOf(node)})`);
    if (name === 'schema' && !DIALECTS.test(stringAt(node, '$schema') ?? DIALECT)) return;
    const isReference = this.#collectReference(part, node, name);
    if (isReference && name !== 'schema' && name !== 'path-item') return;
    const objects = this.#objects.get(name) ?? [];
    this.#objects.set(name, objects);
    objects.push({ ...part, node });
    this.#checkFields(part, node, name);
    FIELDS_TOGETHER[name]?.(node, (problem, field) => {
      const entry = field === undefined ? undefined : node.entries.get(field);
      this.#fail(field === undefined || !entry ? part : partBelow(part, field, entry), problem);
    });
  }

  #checkFields(part: Part, node: SourceMap, name: ObjectName): void {
    const { fields = {}, required = [], names, others } = RULES[name];
    for (const [key, entry] of node.entries) {
      const kind = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (kind !== undefined) this.#push(part, node, key, kind);
      else if (key.startsWith('x-') && name !== 'security-requirement') continue;
      else if (others !== undefined && (names?.test(key) ?? true)) this.#push(part, node, key, others);
      else this.#fail(partBelow(part, key, entry), unknownField(name));
    }
    for (const field of required) if (!node.entries.has(field)) this.#fail(part, `needs \`${field}\``);
  }

  #push(above: Part, node: SourceMap, key: string, kind: Kind): void {
    const entry = node.entries.get(key);
    if (entry !== undefined) this.#waiting.push({ ...partBelow(above, key, entry), node: entry.value, kind });
  }

  /** Whether a `$ref` stands here. A text in it is followed; anything else is a fault. */
  #collectReference(part: Part, node: SourceMap, name: ObjectName): boolean {
    const entry = node.entries.get('$ref');
    if (entry === undefined || !(RULES[name].reference === true || name === 'path-item')) return false;
    const reference = stringAt(node, '$ref');
    if (reference === undefined) {
      const isChecked = name === 'schema' || name === 'path-item';
      if (!isChecked)
        this.#fail(partBelow(part, '$ref', entry), `must be a text (got ${nameOf(entry.value)})`);
      return true;
    }
    try {
      const target = this.files.resolve(reference, node);
      this.#references.push({ from: { ...part, place: entry }, target, reference });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      // The facts refuse what can't be followed, but not in links and callbacks.
      if (error.code === 'missing-target')
        this.#fail(partBelow(part, '$ref', entry), `leads to nothing (got ${nameOf(entry.value)})`);
    }
    return true;
  }

  #fail({ pointer, place }: Part, problem: string): void {
    this.#faults.push({ pointer, place, problem });
  }
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

function partBelow(part: Part, key: string, place: Place): Part {
  return { ...part, pointer: `${part.pointer}/${escapeStep(key)}`, place };
}

/** The keys of most maps are names that the author chooses. */
function problemOfKey(pointer: string, key: string, kind: Single): string | undefined {
  if (kind === 'media-type' && !MEDIA_RANGE.test(key)) return 'is no media type, such as application/json';
  const isPattern = kind === 'schema' && pointer.endsWith('/patternProperties');
  return isPattern && !isRegularExpression(key) ? 'is no regular expression (ECMA-262)' : undefined;
}

/** RFC 9110 §12.5.1 */
const MEDIA_RANGE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;.*)?$/;

function words(kind: Kind): string {
  return isObject(kind) ? wordsOf(kind) : 'something else';
}

function unknownField(name: ObjectName): string {
  if (name === 'paths') return 'is no path: a path starts with `/`';
  if (name === 'responses') return 'is no status: write `200`, `4XX` or `default`, for instance';
  return `is no field of ${wordsOf(name)}`;
}
