import { compare } from '../facts/compare.js';
import type { Fact } from '../facts/fact.js';
import type { FactChild, FactNode } from '../facts/fact-node.js';
import { factGraph } from '../facts/fact-graph.js';
import { Meanings } from '../facts/meanings.js';
import { readOpenapi } from '../read/read-openapi.js';
import { type ReadText, SourceFiles } from '../read/source-files.js';
import { type Effect, type Sureness, turned, UNKNOWN } from './effect.js';
import { outline } from './outline.js';
import { ruleFor } from './rules.js';
import { type Party, type Revisions, type Unit, unitAt } from './unit.js';

/** What a change means for somebody. */
export type Verdict = 'breaking' | 'unclassified' | 'not breaking';

/** One change between two revisions of a document. */
export interface Change {
  /** JSON Pointer of the part that changed. */
  readonly pointer: string;
  /** The same change in other places, which share a schema or another part with this one. */
  readonly alsoAt: readonly string[];
  /** `property added` */
  readonly what: string;
  /** For those whom it concerns. */
  readonly verdicts: Partial<Readonly<Record<Party, Verdict>>>;
  /** The worst of them. */
  readonly verdict: Verdict;
  /** What stood there; undefined if nothing. */
  readonly before?: Fact;
  /** What stands there; undefined if nothing. */
  readonly after?: Fact;
}

/** Two revisions of a document. Paths are handed to their reader as they are. */
export interface ChangesInput {
  readonly before: { readonly readText: ReadText; readonly path: string };
  readonly after: { readonly readText: ReadText; readonly path: string };
}

/**
 * What changed between two revisions of an OpenAPI document, and whom it breaks: who reads what may now be
 * said, and who writes what may no longer be. What no rule knows is unclassified.
 *
 * @param only leaves out what concerns others, and their verdicts
 * @throws ToolError if a file cannot be read or understood
 */
export function changesBetween({ before, after }: ChangesInput, only?: Party): readonly Change[] {
  const revisions = { first: read(before), second: read(after) };
  const meanings = new Meanings();
  meanings.assign(revisions.first);
  meanings.assign(revisions.second);
  const { listed } = compare<never>(revisions.first, revisions.second, meanings);
  const found = new Map<string, Found>();
  for (const { pointer, alsoAt } of listed) gather([pointer, ...alsoAt], revisions, found);
  const all = Array.from(found.values(), toChange);
  const changes = only === undefined ? all : all.flatMap((change) => concerning(only, change));
  return ORDER.flatMap((verdict) => changes.filter((change) => change.verdict === verdict));
}

/** The worst first. */
const ORDER: readonly Verdict[] = ['breaking', 'unclassified', 'not breaking'];

interface Judged {
  readonly unit: Unit;
  readonly what: string;
  readonly verdicts: Change['verdicts'];
  readonly verdict: Verdict;
}

interface Found extends Judged {
  readonly places: Set<string>;
}

function read({ readText, path }: ChangesInput['before']): FactNode {
  const files = new SourceFiles(readText);
  return factGraph(files, readOpenapi(files, path));
}

/**
 * Places that share a part are one change as long as it means the same for everybody there. A definition is
 * told where it is used, and by itself only if it is used nowhere.
 */
function gather(pointers: readonly string[], revisions: Revisions, found: Map<string, Found>): void {
  const units = pointers.map((pointer) => unitAt(pointer, revisions)).filter((unit) => unit !== undefined);
  const used = units.filter(({ turns }) => !turns.includes('defined'));
  const [start] = units;
  for (const unit of used.length > 0 ? used : units) {
    const judged = judge(unit);
    const key = JSON.stringify([start?.pointer, unit.kind, judged.what, judged.verdicts]);
    const known = found.get(key) ?? { ...judged, places: new Set() };
    found.set(key, known);
    known.places.add(unit.pointer);
  }
}

function judge(unit: Unit): Judged {
  const { first, second, kind, audience, turns } = unit;
  const rule = ruleFor(unit);
  const effect = turns.reduceRight(turned, rule?.effect(unit) ?? UNKNOWN);
  const verb = first === undefined ? 'added' : second === undefined ? 'removed' : 'changed';
  const verdicts: Partial<Record<Party, Verdict>> = {};
  for (const party of audience.readers) verdicts[party] = verdictOf(effect.widens);
  for (const party of audience.writers) verdicts[party] = verdictOf(effect.narrows);
  const verdict = ORDER.find((one) => Object.values(verdicts).includes(one)) ?? withoutParty(effect);
  return { unit, what: `${rule?.subject ?? kind} ${verb}`, verdicts, verdict };
}

/** Where nobody takes part, nobody is broken; but nothing may be called harmless that is not known to be. */
function withoutParty({ widens, narrows }: Effect): Verdict {
  return widens === 'no' && narrows === 'no' ? 'not breaking' : 'unclassified';
}

function verdictOf(sureness: Sureness): Verdict {
  if (sureness === 'maybe') return 'unclassified';
  return sureness === 'yes' ? 'breaking' : 'not breaking';
}

function concerning(party: Party, change: Change): Change[] {
  const verdict = change.verdicts[party];
  return verdict === undefined ? [] : [{ ...change, verdict, verdicts: { [party]: verdict } }];
}

function toChange({ unit, places, what, verdicts, verdict }: Found): Change {
  const [pointer = unit.pointer, ...alsoAt] = places;
  const [before, after] = [factAt(pointer, unit.first), factAt(pointer, unit.second)];
  return { pointer, alsoAt, what, verdicts, verdict, ...(before && { before }), ...(after && { after }) };
}

function factAt(pointer: string, child: FactChild | undefined): Fact | undefined {
  if (child === undefined) return undefined;
  const { node, place } = child;
  const text = node.kind === 'value' ? node.text : outline(node);
  return { pointer, text, place, source: node.source };
}
