import { factGraph } from '../facts/fact-graph.js';
import type { Fact, FactNode } from '../facts/fact.js';
import { capped } from '../facts/places.js';
import { readOpenapi, type ReadText, SourceFiles } from '../read/source-files.js';
import { differenceOf } from './difference.js';
import { type Witness, WitnessFinder } from '../witnesses/find-witness.js';
import { type Effect, modified, type Sureness } from './effect.js';
import { type FoundUnit, findUnits } from './find-units.js';
import { judge } from './rules.js';
import type { Party, Unit } from './unit.js';

/**
 * What a change means for one party, or for the worst off. A change of a schema is
 * - `breaking` if a value shows it, which one side may send and the other refuses;
 * - `unproven` if the rules call it breaking, and no such value is found;
 * - `additive` if it only names what was allowed before: an optional property where further ones are allowed.
 */
export type Verdict = 'breaking' | 'unproven' | 'unclassified' | 'additive' | 'not breaking';

/** The worst first. */
export const VERDICTS: readonly Verdict[] = [
  'breaking',
  'unproven',
  'unclassified',
  'additive',
  'not breaking',
];

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
  /** For those whom a schema breaks: a message that shows it. */
  readonly witnesses: Partial<Readonly<Record<Party, Witness>>>;
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
  const witnesses = new WitnessFinder();
  for (const unit of findUnits(revisions)) gather(unit, found, witnesses);
  const all = Array.from(found.values(), toChange);
  const changes = only === undefined ? all : all.flatMap((change) => concerning(only, change));
  return VERDICTS.flatMap((verdict) => changes.filter((change) => change.verdict === verdict));
}

/** How many places of a change are listed. Its verdict holds for all. */
const MAX_LISTED = 10;

interface Judged {
  readonly unit: Unit;
  readonly id: string;
  readonly what: string;
  readonly verdicts: Change['verdicts'];
  readonly verdict: Verdict;
  readonly witnesses: Change['witnesses'];
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
function gather(
  { unit, part, count, places }: FoundUnit,
  found: Map<string, Found>,
  finder: WitnessFinder,
): void {
  const judged = verdictsOn(unit, finder);
  const key = JSON.stringify([part, judged.id, judged.verdicts]);
  const known = found.get(key) ?? { ...judged, places: [], count: 0 };
  found.set(key, known);
  known.places.push(...places.slice(0, MAX_LISTED - known.places.length));
  known.count = capped(known.count + count);
}

function verdictsOn(unit: Unit, finder: WitnessFinder): Judged {
  const { audience, modifiers, inMessage } = unit;
  const { id, what, effect: inPlace } = judge(unit);
  const effect = modifiers.reduceRight(modified, inPlace);
  const verdicts: Partial<Record<Party, Verdict>> = {};
  const witnesses: Partial<Record<Party, Witness>> = {};
  const decide = (parties: readonly Party[], sureness: Sureness, writer: Side, reader: Side) => {
    if (parties.length === 0) return;
    const isAsked = sureness === 'yes' && inMessage !== undefined;
    const { schema, steps } = inMessage ?? { schema: unit.root, steps: [] };
    const witness = isAsked
      ? finder.find({ writer: schema[writer], reader: schema[reader], steps })
      : undefined;
    const verdict = isAsked && witness === undefined ? 'unproven' : VERDICT_OF[sureness];
    for (const party of parties) {
      verdicts[party] = verdict;
      if (witness !== undefined) witnesses[party] = witness;
    }
  };
  decide(audience.readers, effect.widens, 'second', 'first');
  decide(audience.writers, effect.narrows, 'first', 'second');
  const verdict = worstOf(Object.values(verdicts)) ?? withoutParty(effect);
  return { unit, id, what, verdicts, verdict, witnesses };
}

type Side = 'first' | 'second';

function worstOf(verdicts: readonly Verdict[]): Verdict | undefined {
  return VERDICTS.find((one) => verdicts.includes(one));
}

/** For a document without webhooks and paths: nobody is broken, but an unknown effect isn't harmless. */
function withoutParty({ widens, narrows }: Effect): Verdict {
  return widens === 'no' && narrows === 'no' ? 'not breaking' : 'unclassified';
}

const VERDICT_OF: Readonly<Record<Sureness, Verdict>> = {
  yes: 'breaking',
  maybe: 'unclassified',
  additive: 'additive',
  no: 'not breaking',
};

function concerning(party: Party, change: Change): Change[] {
  const verdict = change.verdicts[party];
  if (verdict === undefined) return [];
  const witness = change.witnesses[party];
  const witnesses = witness === undefined ? {} : { [party]: witness };
  return [{ ...change, verdict, verdicts: { [party]: verdict }, witnesses }];
}

function toChange({ unit, places, count, ...judged }: Found): Change {
  const { id, what, verdicts, verdict, witnesses } = judged;
  const [pointer = '', ...alsoAt] = places;
  return {
    pointer,
    alsoAt,
    more: count - places.length,
    id,
    what,
    verdicts,
    verdict,
    witnesses,
    ...differenceOf(unit, pointer),
  };
}
