import { type ComparedAnswer, valueText } from '../answers/compare.js';
import { statedIn } from '../facts/fact.js';
import { capped, countText, morePlaces } from '../facts/places.js';
import { type Entry, statement, words } from '../format/entry.js';
import { formatPosition, positionOf, type Statement, statementOf } from '../format/position.js';
import type { Finding } from '../gate/finding.js';
import type { GateReport } from '../gate/gate.js';
import { emptyMapsOf } from '../overlay/apply-overlay.js';
import type { Action } from '../overlay/read-overlay.js';
import { plainName, pointerOf } from '../read/json-pointer.js';
import { formatPlace } from '../read/source-node.js';
import { visible } from '../read/visible.js';
import { adviceOnAnswer, adviceOnFinding, type Presentation } from './advice.js';

/** What a finding is, where it comes from and what to do about it. */
export function entryOfFinding(finding: Finding, presentation: Presentation): Entry {
  const { state, pointer, alsoAt, count, baseline, document, action } = finding;
  const stated = baseline && statementOf(baseline);
  const shown = document && statementOf(document);
  const section = baseline && statedIn(baseline);
  const producer = presentation.producerOf(pointer);
  const answer = action && `question ${action.question}, ${provenanceOf(action)}`;
  return {
    level: state === 'answered' ? 'notice' : 'error',
    title: `${state}: ${nameOf(finding)}`,
    pointer,
    position: action === undefined ? (producer ?? stated ?? shown) : positionOf(action.place),
    details: [
      ...statement(action === undefined ? 'specification' : 'stated', stated, section && ` (${section})`),
      ...statement('document', shown),
      ...words('also at', [...alsoAt.map(visible), ...morePlaces(1 + alsoAt.length, count)].join('\n')),
      ...words('answer', answer),
      ...words('comes from', producer && formatPosition(producer)),
    ],
    advice: adviceOnFinding(finding, presentation),
  };
}

/** The place of a finding as a person reads it: `webhooks › /plant/webhook › summary`. */
export function nameOf({ pointer, reason, action }: Finding): string {
  return plainName(reason === 'states nothing' && action ? pointerOf(action.steps) : pointer);
}

/** What both sides say about a question, and what to do about it. */
export async function entryOfAnswer(compared: ComparedAnswer, presentation: Presentation): Promise<Entry> {
  const { state, question, action, entered } = compared;
  const { report } = presentation;
  const missingIn = action === undefined ? 'the overlay' : 'the code';
  const { overlay, code } = sidesOf(compared);
  const { count } = factsAddedBy(compared, report.findings);
  const adds = `${countText(count)} ${count === 1 ? 'fact' : 'facts'} to the document`;
  const isMisfit = state === 'wrong actions';
  const problems = isMisfit ? [...(report.problems?.get(question) ?? [])].sort(actionsFirst) : [];
  return {
    level: state === 'answered' ? 'notice' : 'error',
    title: `${state}: ${question}${state === 'missing answer' ? `, not in ${missingIn}` : ''}`,
    pointer: '',
    position: action === undefined ? entered : positionOf(action.place),
    details: [
      // They are equal where only the actions are wrong.
      ...(isMisfit ? [] : [...statement('overlay', overlay), ...statement('code', code)]),
      ...words('answer', action && provenanceOf(action)),
      ...words('adds', state === 'answered' ? adds : undefined),
      ...words('wrong', listOf(problems.map(problemText))),
      ...words('also wrong', state === 'answered' ? undefined : dependentsOf(compared, report)),
    ],
    advice: await adviceOnAnswer(compared, presentation),
  };
}

/** The answers that are wrong because of another one, which the first unmatched answer names. */
function dependentsOf(compared: ComparedAnswer, { answers }: GateReport): string | undefined {
  const cause = answers.find(({ state }) => state !== 'answered' && state !== 'depends');
  const dependents = answers.filter(({ state }) => state === 'depends').map(({ question }) => question);
  if (compared !== cause || dependents.length === 0) return undefined;
  return `the actions of ${dependents.join(', ')}. Correct this one, then run the gate again.`;
}

/** What is wrong with an action. */
function problemText(finding: Finding): string {
  const { state, reason, action, after } = finding;
  const at = action === undefined ? '' : ` (${formatPlace(action.place)})`;
  const later = after === undefined ? '' : `; added at ${formatPlace(after.place)}: move the action after it`;
  return `${reason ?? (state === 'invented' ? 'not in the overlay' : state)}: ${nameOf(finding)}${at}${later}`;
}

function actionsFirst(one: Finding, other: Finding): number {
  return Number(one.action === undefined) - Number(other.action === undefined);
}

const MAX_PROBLEMS = 10;

function listOf(lines: readonly string[]): string {
  const rest = lines.length - MAX_PROBLEMS;
  return [...lines.slice(0, MAX_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

/** What each side says, and where. */
export function sidesOf({ action, entered }: ComparedAnswer): { overlay?: Statement; code?: Statement } {
  const answer = action?.answer;
  return {
    ...(answer && { overlay: { value: valueText(answer), ...positionOf(answer) } }),
    ...(entered && { code: { ...entered, value: valueText(entered.value) } }),
  };
}

/** What an answer adds to the document. */
export interface AddedFacts {
  /** JSON Pointers, of each fact the first 1000. */
  readonly places: readonly string[];
  /** How many there are, those that are not listed included. */
  readonly count: number;
}

/**
 * What an answer adds to the document: its facts, and its empty maps, which other answers may have filled. Actions
 * that are stale add nothing.
 */
export function factsAddedBy(
  { question, actions }: ComparedAnswer,
  findings: readonly Finding[],
): AddedFacts {
  const own = findings.filter(({ action }) => action?.question === question);
  const answered = own.filter(({ state }) => state === 'answered');
  const facts = answered.flatMap(({ pointer, alsoAt }) => [pointer, ...alsoAt]);
  const stale = new Set(own.filter(({ state }) => state === 'stale answer').map(({ action }) => action));
  const maps = actions.filter((action) => !stale.has(action)).flatMap(emptyMapsOf);
  const places = [...new Set([...maps, ...facts])];
  const count = answered.reduce(
    (sum, { alsoAt, count }) => capped(sum + count - 1 - alsoAt.length),
    places.length,
  );
  return { places, count };
}

/** Who answered, when and why, and where that is written. */
function provenanceOf({ answeredBy, date, reason, place }: Action): string {
  return `answered by ${answeredBy} on ${date}: ${reason} (${formatPlace(place)})`;
}
