import type { ComparedAnswer } from '../answers/compare.js';
import type { Implied } from '../answers/implied-actions.js';
import type { Action } from '../overlay/read-overlay.js';
import { isAtOrBelow, pointerOf } from '../read/json-pointer.js';
import type { SourceNode } from '../read/source-node.js';
import type { Finding } from './finding.js';

/** What a gate found, with one cause for what follows from it. */
export interface Causes {
  /** The findings that no answer explains, and what is answered. */
  readonly findings: readonly Finding[];
  /** The answers, with the state `wrong actions` or `depends` where a finding says so. */
  readonly answers: readonly ComparedAnswer[];
  /** What is wrong with the actions of the answers in these states, by question. */
  readonly problems: ReadonlyMap<string, readonly Finding[]>;
}

/**
 * Puts the findings that follow from answers under their cause: first under an answer that the two sides don't share,
 * then under the answer whose actions don't add what the code adds.
 *
 * @param compared the findings, without regard to what the code adds
 * @param implied what the answers of the code add to the document
 * @param unexplained the findings that are left if the overlay states what is implied, and nothing else
 */
export function findCauses(
  compared: readonly Finding[],
  answers: readonly ComparedAnswer[],
  implied: ReadonlyMap<string, Implied>,
  unexplained: readonly Finding[],
): Causes {
  const invented = unexplained.filter(({ state }) => state === 'invented').map(({ pointer }) => pointer);
  const findings = compared.map((finding) => withoutAnswer(finding, invented));
  const left = new Set(unexplained.map(keyOf));
  const filled = new Set(findings.filter((finding) => isFilledMap(finding, implied)));
  const problems = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.state === 'answered' || left.has(keyOf(finding)) || filled.has(finding)) continue;
    const question = questionOf(finding, implied);
    if (question !== undefined) problems.set(question, [...(problems.get(question) ?? []), finding]);
  }
  const causes = answers.filter(({ state, question }) => state !== 'answered' || problems.has(question));
  const following = new Set<string>();
  for (const { question, state } of answers) {
    const found = problems.get(question) ?? [];
    // What follows from something else is not the cause: two answers would each follow from the other.
    const others = causes.filter((cause) => cause.question !== question && !following.has(cause.question));
    if (state === 'answered' && others.some((cause) => follows(question, found, cause, implied)))
      following.add(question);
  }
  const judged = answers.map((answer): ComparedAnswer => {
    if (answer.state !== 'answered' || !problems.has(answer.question)) return answer;
    return { ...answer, state: following.has(answer.question) ? 'depends' : 'wrong actions' };
  });
  const explained = new Set([...filled, ...[...problems.values()].flat()]);
  return { findings: findings.filter((finding) => !explained.has(finding)), answers: judged, problems };
}

/** An action may not state what the document also shows without the answer. */
function withoutAnswer(finding: Finding, invented: readonly string[]): Finding {
  const { state, pointer } = finding;
  if (state !== 'answered' || !invented.some((place) => isAtOrBelow(pointer, place))) return finding;
  return { ...finding, state: 'stale answer', reason: 'shown without the answer' };
}

/** Whether an answer adds an empty map, as it should, and the document shows it filled by other answers. */
function isFilledMap(
  { action, baseline, reason, pointer }: Finding,
  implied: ReadonlyMap<string, Implied>,
): boolean {
  const places = action && implied.get(action.question)?.places;
  return reason === 'shown differently' && baseline?.text === '{}' && places?.includes(pointer) === true;
}

function keyOf({ state, reason, pointer }: Finding): string {
  return [state, reason, pointer].join(' ');
}

/** The question that a finding belongs to: that of the action, or of the nearest place that an answer adds. */
function questionOf({ action, pointer }: Finding, implied: ReadonlyMap<string, Implied>): string | undefined {
  if (action !== undefined) return action.question;
  let nearest: { question: string; place: string } | undefined;
  for (const [question, { places }] of implied) {
    for (const place of places) {
      const isNearer = place.length > (nearest?.place.length ?? -1);
      if (isNearer && isAtOrBelow(pointer, place)) nearest = { question, place };
    }
  }
  return nearest?.question;
}

/**
 * Whether the actions of a question are wrong because of another answer: one that the two sides don't share, and that
 * the question is built on, or one whose actions should add the target.
 */
function follows(
  question: string,
  problems: readonly Finding[],
  cause: ComparedAnswer,
  implied: ReadonlyMap<string, Implied>,
): boolean {
  const code = implied.get(cause.question)?.places ?? [];
  if (cause.state === 'answered') {
    const untargeted = problems.filter(({ reason }) => reason === 'no target');
    return untargeted.some(({ pointer }) => code.some((place) => isAtOrBelow(pointer, place)));
  }
  if (implied.get(question)?.needs.has(cause.question) === true) return true;
  const overlay = cause.actions.flatMap(placesOf);
  return problems.some(({ pointer }) => overlay.some((place) => isAtOrBelow(pointer, place)));
}

/** The JSON Pointers of the values and the empty maps that an action adds. */
function placesOf({ steps, update }: Action): string[] {
  return update === undefined ? [] : leavesOf(update, steps);
}

function leavesOf(node: SourceNode, steps: readonly string[]): string[] {
  if (node.kind !== 'map' || node.entries.size === 0) return [pointerOf(steps)];
  return [...node.entries].flatMap(([key, { value }]) => leavesOf(value, [...steps, key]));
}
