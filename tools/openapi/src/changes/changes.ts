import { factGraph } from '../facts/fact-graph.js';
import type { Fact, FactNode } from '../facts/fact.js';
import { capped } from '../facts/places.js';
import { readOpenapi, type ReadText, SourceFiles } from '../read/source-files.js';
import { differenceOf } from './difference.js';
import { type Effect, modified, type Sureness } from './effect.js';
import { type FoundUnit, findUnits } from './find-units.js';
import { judge } from './rules.js';
import type { Party, Unit } from './unit.js';

/** What a change means for one party, or for the worst off. */
export type Verdict = 'breaking' | 'unclassified' | 'not breaking';

/** One change between two revisions of a document. */
export interface Change {
  /** JSON Pointer of the part that changed. */
  readonly pointer: string;
  /** The same change in other places, which share a schema or another part with this one: the first 9 of them. */
  readonly alsoAt: readonly string[];
  /** How many places there are beside these. */
  readonly more: number;
  /** The kind of change, as `openapi changes --rules` lists it: `request-property-added`. */
  readonly id: string;
  /** `property added` */
  readonly what: string;
  /** For those whom it concerns. */
  readonly verdicts: Partial<Readonly<Record<Party, Verdict>>>;
  /** The worst of them. */
  readonly verdict: Verdict;
  /** What stood there; of a list that changed, the items that are gone. Undefined if nothing. */
  readonly before?: Fact;
  /** What stands there; of a list that changed, the items that have come. Undefined if nothing. */
  readonly after?: Fact;
}

/** Two revisions of a document. Paths are handed to their reader as they are. */
export interface ChangesInput {
  readonly before: { readonly readText: ReadText; readonly path: string };
  readonly after: { readonly readText: ReadText; readonly path: string };
}

/**
 * What changed between two revisions of an OpenAPI document, and whom it breaks: what is newly allowed breaks
 * whoever reads it, what is no longer allowed breaks whoever writes it. What no rule knows is unclassified.
 *
 * @param only leaves out the changes and verdicts that don't concern this party
 * @throws ToolError if a file cannot be read or understood
 */
export function changesBetween({ before, after }: ChangesInput, only?: Party): readonly Change[] {
  const revisions = { first: read(before), second: read(after) };
  const found = new Map<string, Found>();
  for (const unit of findUnits(revisions)) gather(unit, found);
  const all = Array.from(found.values(), toChange);
  const changes = only === undefined ? all : all.flatMap((change) => concerning(only, change));
  return ORDER.flatMap((verdict) => changes.filter((change) => change.verdict === verdict));
}

/** How many places of a change are listed. Its verdict holds for all. */
const MAX_LISTED = 10;

/** The worst first. */
const ORDER: readonly Verdict[] = ['breaking', 'unclassified', 'not breaking'];

interface Judged {
  readonly unit: Unit;
  readonly id: string;
  readonly what: string;
  readonly verdicts: Change['verdicts'];
  readonly verdict: Verdict;
}

interface Found extends Judged {
  readonly places: string[];
  count: number;
}

function read({ readText, path }: ChangesInput['before']): FactNode {
  const files = new SourceFiles(readText);
  return factGraph(files, readOpenapi(files, path));
}

/** A part that changed is one change, or several if that doesn't mean the same wherever the part is used. */
function gather({ unit, part, count, places }: FoundUnit, found: Map<string, Found>): void {
  const judged = verdictsOn(unit);
  const key = JSON.stringify([part, judged.id, judged.verdicts]);
  const known = found.get(key) ?? { ...judged, places: [], count: 0 };
  found.set(key, known);
  known.places.push(...places.slice(0, MAX_LISTED - known.places.length));
  known.count = capped(known.count + count);
}

function verdictsOn(unit: Unit): Judged {
  const { audience, modifiers } = unit;
  const { id, what, effect: inPlace } = judge(unit);
  const effect = modifiers.reduceRight(modified, inPlace);
  const verdicts: Partial<Record<Party, Verdict>> = {};
  for (const party of audience.readers) verdicts[party] = verdictOf(effect.widens);
  for (const party of audience.writers) verdicts[party] = verdictOf(effect.narrows);
  const verdict = ORDER.find((one) => Object.values(verdicts).includes(one)) ?? withoutParty(effect);
  return { unit, id, what, verdicts, verdict };
}

/** For a document without webhooks and paths: nobody is broken, but an unknown effect isn't harmless. */
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

function toChange({ unit, places, count, id, what, verdicts, verdict }: Found): Change {
  const [pointer = '', ...alsoAt] = places;
  return {
    pointer,
    alsoAt,
    more: count - places.length,
    id,
    what,
    verdicts,
    verdict,
    ...differenceOf(unit, pointer),
  };
}
