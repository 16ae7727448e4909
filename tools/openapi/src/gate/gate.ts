import { type EnteredAnswers, readAnswers } from '../answers/answers-file.js';
import { compareAnswers, type ComparedAnswer } from '../answers/compare.js';
import { type Implied, impliedBy } from '../answers/implied-actions.js';
import { actionFields } from '../answers/overlay-actions.js';
import { compare, type Comparison } from '../facts/compare.js';
import { factGraph, factGraphs } from '../facts/fact-graph.js';
import type { Fact, FactNode } from '../facts/fact.js';
import { applyOverlay, emptyMapsOf, type RefusedAction } from '../overlay/apply-overlay.js';
import { type Action, readOverlay } from '../overlay/read-overlay.js';
import { isAtOrBelow, pointerSteps } from '../read/json-pointer.js';
import { readOpenapi, type ReadText, SourceFiles } from '../read/source-files.js';
import { descend, type Place, scalarText, type SourceNode, stringAt } from '../read/source-node.js';
import { findCauses } from './causes.js';
import { classify, type Finding } from './finding.js';

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
  /**
   * The document without the answer of the code to a question; nothing if the answer can't show there. With these
   * documents, the findings that follow from an answer are reported with the answer.
   */
  readonly documentWithout?: ((question: string) => string | undefined) | undefined;
}

/** What the gate found. */
export interface GateReport {
  /** How many facts are in the baseline and in the document, equal. */
  readonly specified: number;
  /** Every other fact, `answered` ones included. */
  readonly findings: readonly Finding[];
  /** Every question that one of the two sides answers. */
  readonly answers: readonly ComparedAnswer[];
  /** What the answers of the code add to the document, by question, if the documents without them were given. */
  readonly implied?: ReadonlyMap<string, Implied>;
  /** What is wrong with the actions of a question whose answer is not `answered`. */
  readonly problems?: ReadonlyMap<string, readonly Finding[]>;
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
export function gate(input: GateInput): GateReport {
  const { readText, answers } = input;
  const entered = answers === undefined ? undefined : readAnswers(readText, answers);
  const implied = entered && impliedActions(input, [...entered.answers.keys()]);
  const places = Array.from(implied?.values() ?? [], (one) => one.places).flat();
  const report = compareAll(input, entered, places);
  if (implied === undefined) return report;
  const unexplained = compareAll(withImplied(input, implied), undefined, places).findings;
  return { ...report, implied, ...findCauses(report.findings, report.answers, implied, unexplained) };
}

/** @param implied the places of the document that follow from answers of the code */
function compareAll(
  { readText, baseline, document, overlay }: GateInput,
  entered: EnteredAnswers | undefined,
  implied: readonly string[],
): GateReport {
  const files = new SourceFiles(readText);
  const { before, root, actions, refused } = answeredBaseline(files, baseline, overlay);
  const documentFiles = new SourceFiles(readText);
  const published = { files: documentFiles, root: readOpenapi(documentFiles, document) };
  const labelOf = (place: Place) => actionAt(place, actions);
  const isAnswered = (place: Place) => labelOf(place) !== undefined;
  const [expected, actual] = factGraphs({ files, root }, published, isAnswered);
  const { equal, equalFacts, listed } = compare(expected, actual, {
    labelOf,
    isTakenApart: (pointer) => implied.some((place) => isAtOrBelow(place, pointer)),
  });
  const stale = [...refused.map(refusal), ...silentActions(files, before, actions, refused, listed)];
  return {
    specified: equal,
    findings: [...listed.map(classify), ...stale],
    answers: compareAnswers(actions, entered),
    ...(entered && { entered }),
    stated: equalFacts,
  };
}

function impliedActions(
  { readText, baseline, document, documentWithout }: GateInput,
  questions: readonly string[],
): Map<string, Implied> | undefined {
  if (documentWithout === undefined) return undefined;
  const graphOf = (path: string): FactNode => {
    const files = new SourceFiles(readText);
    return factGraph(files, readOpenapi(files, path));
  };
  const without = questions.flatMap((question): [string, FactNode][] => {
    const path = documentWithout(question);
    return path === undefined ? [] : [[question, graphOf(path)]];
  });
  return impliedBy(graphOf(baseline), graphOf(document), new Map(without));
}

/** The same files with an overlay that states what the answers of the code add. */
function withImplied(
  { readText, baseline, document }: GateInput,
  implied: ReadonlyMap<string, Implied>,
): GateInput {
  const overlay = 'the actions that the code implies';
  const provenance = { who: 'the code', date: '2026-01-31', reason: 'to compare' };
  const actions = Array.from(implied, ([question, { actions }]) =>
    actionFields({ question, value: null, actions, provenance }),
  ).flat();
  const text = JSON.stringify({ overlay: '1.0.0', actions });
  const read: ReadText = (path) => (path === overlay ? text : readText(path));
  return { readText: read, baseline, document, overlay: actions.length === 0 ? undefined : overlay };
}

/** The baseline with the actions of the overlay, those that were refused beside it. */
function answeredBaseline(files: SourceFiles, baseline: string, overlay: string | undefined) {
  const before = readOpenapi(files, baseline);
  if (overlay === undefined) return { before, root: before, actions: [], refused: [] };
  const actions = readOverlay(files, overlay);
  const { root, refused } = applyOverlay(before, actions);
  files.replaceRoot(baseline, root);
  files.resolveAs(overlay, baseline);
  return { before, root, actions, refused };
}

function actionAt({ file, start }: Place, actions: readonly Action[]): Action | undefined {
  return actions.find(({ update }) => update?.file === file && update.start <= start && start <= update.end);
}

function refusal({ existing, ...refused }: RefusedAction): Finding {
  const { pointer } = refused;
  const baseline = existing && { pointer, text: textOf(existing), place: existing, source: existing };
  return { state: 'stale answer', alsoAt: [], count: 1, ...refused, ...(baseline && { baseline }) };
}

/** Whether an action adds only empty maps, which other answers fill, at places that the baseline doesn't have. */
function addsMaps(action: Action, before: SourceNode): boolean {
  const maps = emptyMapsOf(action);
  return maps.length > 0 && maps.every((pointer) => descend(before, pointerSteps(pointer)) === undefined);
}

/**
 * Actions with an `update` that no fact of the comparison leads through or is written in. An action that only refers to
 * a component is not silent if the component has such a fact.
 *
 * @param before the baseline without the answers
 */
function silentActions(
  files: SourceFiles,
  before: SourceNode,
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
    .filter((action) => action.update !== undefined && !heard.has(action))
    .filter((action) => !refersToFact(action) && !addsMaps(action, before))
    .map((action) => ({
      state: 'stale answer',
      reason: 'states nothing',
      pointer: '',
      alsoAt: [],
      count: 1,
      action,
    }));
}

function isWithin(place: Place, { file, start, end }: SourceNode): boolean {
  return place.file === file && start <= place.start && place.start <= end;
}

function textOf(node: SourceNode): string {
  if (node.kind === 'scalar') return scalarText(node);
  if (node.kind === 'map') return node.entries.size === 0 ? '{}' : '{ … }';
  return node.items.length === 0 ? '[]' : '[…]';
}

/** Whether the document shows exactly what is stated and answered, and both sides of each answer say the same. */
export function isClean({ findings, answers }: GateReport): boolean {
  return [...findings, ...answers].every(({ state }) => state === 'answered');
}
