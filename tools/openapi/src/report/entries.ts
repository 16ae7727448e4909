import { type ComparedAnswer, valueText } from '../answers/compare.js';
import { statedIn } from '../facts/fact.js';
import { type Entry, statement, words } from '../format/entry.js';
import { formatPosition, positionOf, type Statement, statementOf } from '../format/position.js';
import type { Finding } from '../gate/finding.js';
import type { Action } from '../overlay/read-overlay.js';
import { plainName, pointerOf } from '../read/json-pointer.js';
import { formatPlace, type SourceNode } from '../read/source-node.js';
import { visible } from '../read/visible.js';
import { adviceOnAnswer, adviceOnFinding, type Presentation } from './advice.js';

/** What a finding is, where it comes from and what to do about it. */
export function entryOfFinding(finding: Finding, presentation: Presentation): Entry {
  const { state, pointer, alsoAt, baseline, document, action } = finding;
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
      ...words('also at', alsoAt.map(visible).join('\n')),
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
  const missingIn = action === undefined ? 'the overlay' : 'the code';
  const { overlay, code } = sidesOf(compared);
  const { length } = factsAddedBy(compared, presentation.report.findings);
  const adds = `${length} ${length === 1 ? 'fact' : 'facts'} to the document`;
  return {
    level: state === 'answered' ? 'notice' : 'error',
    title: `${state}: ${question}${state === 'missing answer' ? `, not in ${missingIn}` : ''}`,
    pointer: '',
    position: action === undefined ? entered : positionOf(action.place),
    details: [
      ...statement('overlay', overlay),
      ...statement('code', code),
      ...words('answer', action && provenanceOf(action)),
      ...words('adds', state === 'answered' ? adds : undefined),
    ],
    advice: await adviceOnAnswer(compared, presentation),
  };
}

/** What each side says, and where. */
export function sidesOf({ action, entered }: ComparedAnswer): { overlay?: Statement; code?: Statement } {
  const answer = action?.answer;
  return {
    ...(answer && { overlay: { value: valueText(answer), ...positionOf(answer) } }),
    ...(entered && { code: { ...entered, value: valueText(entered.value) } }),
  };
}

/**
 * The JSON Pointers of what an answer adds to the document: its facts, and its empty maps, which other answers may
 * have filled. Actions that are stale add nothing.
 */
export function factsAddedBy({ question, actions }: ComparedAnswer, findings: readonly Finding[]): string[] {
  const own = findings.filter(({ action }) => action?.question === question);
  const facts = own
    .filter(({ state }) => state === 'answered')
    .flatMap(({ pointer, alsoAt }) => [pointer, ...alsoAt]);
  const stale = new Set(own.filter(({ state }) => state === 'stale answer').map(({ action }) => action));
  const maps = actions
    .filter((action) => !stale.has(action))
    .flatMap(({ steps, update }) => (update === undefined ? [] : emptyMapsIn(update, steps)));
  return [...new Set([...maps, ...facts])];
}

function emptyMapsIn(node: SourceNode, steps: readonly string[]): string[] {
  if (node.kind !== 'map') return [];
  if (node.entries.size === 0) return [pointerOf(steps)];
  return [...node.entries].flatMap(([key, { value }]) => emptyMapsIn(value, [...steps, key]));
}

/** Who answered, when and why, and where that is written. */
function provenanceOf({ answeredBy, date, reason, place }: Action): string {
  return `answered by ${answeredBy} on ${date}: ${reason} (${formatPlace(place)})`;
}
