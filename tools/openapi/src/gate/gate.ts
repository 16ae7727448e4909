import { type EnteredAnswers, readAnswers } from '../answers/answers-file.js';
import { compareAnswers, type ComparedAnswer } from '../answers/compare.js';
import { compare, type Comparison } from '../facts/compare.js';
import { factGraph } from '../facts/fact-graph.js';
import type { Fact } from '../facts/fact.js';
import { applyOverlay, type RefusedAction } from '../overlay/apply-overlay.js';
import { type Action, readOverlay } from '../overlay/read-overlay.js';
import { readOpenapi, type ReadText, SourceFiles } from '../read/source-files.js';
import { type Place, scalarText, type SourceNode, stringAt } from '../read/source-node.js';
import { classify, type Finding, type FindingState } from './finding.js';

/** What is compared with what. Paths are handed to `readText` as they are. */
export interface GateInput {
  readonly readText: ReadText;
  /** What the specification states, as an OpenAPI 3.1 document. */
  readonly baseline: string;
  /** The document that is published. */
  readonly document: string;
  /** Answers to what the specification leaves open, as an OpenAPI Overlay of the baseline. */
  readonly overlay?: string | undefined;
  /** The same answers as the code has them, as `openapi answers` writes them. */
  readonly answers?: string | undefined;
}

/** What the gate found. */
export interface GateReport {
  /** How many facts are in the baseline and in the document, equal. */
  readonly specified: number;
  /** Every other fact, `answered` ones included. */
  readonly findings: readonly Finding[];
  /** Every question that one of the two sides answers. */
  readonly answers: readonly ComparedAnswer[];
  /** The code's side, if it was asked. */
  readonly entered?: EnteredAnswers;
  /** Every specified fact in the order of the baseline, at each of its places; there may be very many. */
  readonly stated: () => Iterable<Fact>;
}

/**
 * Compares a document with a baseline and its answers: each fact is specified, missing, contradicted, invented,
 * answered or a stale answer. Where the answers of the code are named too, both sides must say the same.
 *
 * @throws ToolError if a file cannot be read or understood
 */
export function gate({ readText, baseline, document, overlay, answers }: GateInput): GateReport {
  const files = new SourceFiles(readText);
  const { root, actions, refused } = answeredBaseline(files, baseline, overlay);
  const entered = answers === undefined ? undefined : readAnswers(readText, answers);
  const documentFiles = new SourceFiles(readText);
  const expected = factGraph(files, root);
  const actual = factGraph(documentFiles, readOpenapi(documentFiles, document));
  const { equal, equalFacts, listed } = compare(expected, actual, (place) => actionAt(place, actions));
  const stale = [...refused.map(refusal), ...silentActions(files, actions, refused, listed)];
  return {
    specified: equal,
    findings: [...listed.map(classify), ...stale],
    answers: compareAnswers(actions, entered),
    ...(entered && { entered }),
    stated: equalFacts,
  };
}

/** The baseline with the actions of the overlay, those that were refused beside it. */
function answeredBaseline(files: SourceFiles, baseline: string, overlay: string | undefined) {
  const before = readOpenapi(files, baseline);
  if (overlay === undefined) return { root: before, actions: [], refused: [] };
  const actions = readOverlay(files, overlay);
  const { root, refused } = applyOverlay(before, actions);
  files.replaceRoot(baseline, root);
  files.resolveAs(overlay, baseline);
  return { root, actions, refused };
}

function actionAt({ file, start }: Place, actions: readonly Action[]): Action | undefined {
  return actions.find(({ update }) => update?.file === file && update.start <= start && start <= update.end);
}

function refusal({ action, reason, pointer, existing }: RefusedAction): Finding {
  const baseline = existing && { pointer, text: textOf(existing), place: existing, source: existing };
  return { state: 'stale answer', reason, pointer, alsoAt: [], action, ...(baseline && { baseline }) };
}

/**
 * Actions with an `update` that no fact of the comparison leads through or is written in. An action that only refers to
 * a component is not silent if the component has such a fact.
 */
function silentActions(
  files: SourceFiles,
  actions: readonly Action[],
  refused: readonly RefusedAction[],
  listed: readonly Comparison<Action>[],
): Finding[] {
  const heard = new Set<Action | undefined>(refused.map(({ action }) => action));
  for (const { labels, first } of listed) {
    for (const action of labels) heard.add(action);
    if (first !== undefined) heard.add(actionAt(first.source, actions));
  }
  const refersToFact = ({ update }: Action): boolean => {
    const reference = update && stringAt(update, '$ref');
    if (update === undefined || reference === undefined) return false;
    const target = files.resolve(reference, update);
    return listed.some(({ first }) => first !== undefined && isWithin(first.place, target));
  };
  return actions
    .filter((action) => action.update !== undefined && !heard.has(action) && !refersToFact(action))
    .map((action) => ({ state: 'stale answer', reason: 'states nothing', pointer: '', alsoAt: [], action }));
}

function isWithin(place: Place, { file, start, end }: SourceNode): boolean {
  return place.file === file && start <= place.start && place.start <= end;
}

function textOf(node: SourceNode): string {
  if (node.kind === 'scalar') return scalarText(node);
  if (node.kind === 'map') return node.entries.size === 0 ? '{}' : '{ … }';
  return node.items.length === 0 ? '[]' : '[…]';
}

/**
 * How many facts are in each state; a fact in several places counts once for each. An unmatched answer is a question
 * of which overlay and code don't say the same.
 */
export type Tally = Readonly<Record<'specified' | FindingState | 'unmatched answer', number>>;

/** Counts the facts of a report. */
export function tally({ specified, findings, answers }: GateReport): Tally {
  const count = (state: FindingState) =>
    findings.filter((finding) => finding.state === state).reduce((sum, finding) => sum + places(finding), 0);
  return {
    specified,
    missing: count('missing'),
    contradicted: count('contradicted'),
    invented: count('invented'),
    answered: count('answered'),
    'stale answer': count('stale answer'),
    'unmatched answer': answers.filter(({ state }) => state !== 'answered').length,
  };
}

/** `11 specified, 0 missing, 0 contradicted, 0 invented, 0 answered`, and `, 1 stale, 1 unmatched` if there are any. */
export function tallyLine(counts: Tally): string {
  const { specified, missing, contradicted, invented, answered } = counts;
  const line = `${specified} specified, ${missing} missing, ${contradicted} contradicted, ${invented} invented, ${answered} answered`;
  const { 'stale answer': stale, 'unmatched answer': unmatched } = counts;
  return [
    line,
    ...(stale > 0 ? [`${stale} stale`] : []),
    ...(unmatched > 0 ? [`${unmatched} unmatched`] : []),
  ].join(', ');
}

/** Whether the document shows exactly what is stated and answered, and both sides of each answer say the same. */
export function isClean({ findings, answers }: GateReport): boolean {
  return [...findings, ...answers].every(({ state }) => state === 'answered');
}

function places({ alsoAt }: Finding): number {
  return 1 + alsoAt.length;
}
