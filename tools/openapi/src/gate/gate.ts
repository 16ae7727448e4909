import { executableOf } from '@plant-store/contract';
import { namedComponents } from '@plant-store/contract/document';
import { type CodeAnswers, type EnteredAnswer, QUESTIONS } from './code-answers.js';
import { type Fact, type Facts, factsOf } from './facts.js';
import { type Action, applyOverlay, readOverlay, type RefusedAction } from './overlay.js';
import { plain, readOpenapi, type Source, textOf } from './read.js';

/** What is compared with what. */
export interface GateInput {
  /** What the specification states, as OpenAPI 3.1. */
  readonly baseline: Source;
  /** The document that is published. */
  readonly document: Source;
  /** Answers to what the specification leaves open, as an OpenAPI Overlay of the baseline. */
  readonly overlay?: Source | undefined;
  /** The same answers as the code has them. Without them, an answer of the overlay stands alone. */
  readonly answers?: CodeAnswers | undefined;
}

/** A fact that isn't specified, or an action without one. */
export interface Finding {
  readonly state: 'missing' | 'contradicted' | 'invented' | 'answered' | 'stale answer';
  /** Why an answer is stale. */
  readonly reason?: RefusedAction['reason'] | 'not shown' | 'shown differently';
  readonly pointer: string;
  /** What the specification, or an answer, states. */
  readonly stated?: Pick<Fact, 'text' | 'place'> | undefined;
  /** What the document says. */
  readonly shown?: Pick<Fact, 'text' | 'place'> | undefined;
  /** The action that states it. */
  readonly action?: Action | undefined;
}

/** Both sides of one question. */
export interface ComparedAnswer {
  readonly state:
    | 'answered'
    /** Answered in words: the software still does what it does while the question is open. */
    | 'not carried out'
    /** One side has an answer, the other none. */
    | 'missing answer'
    | 'contradicting answers'
    /** Actions add facts for the question, and none has the answer itself. */
    | 'answer without value'
    | 'unknown question';
  readonly question: string;
  /** The action that has the answer, or else the first of the question. */
  readonly action?: Action | undefined;
  readonly entered?: EnteredAnswer | undefined;
}

/** What the gate found. */
export interface GateReport {
  /** The facts that are in the baseline and in the document, equal. */
  readonly specified: readonly Fact[];
  /** Every other fact, `answered` ones included. */
  readonly findings: readonly Finding[];
  /** Every question that one of the two sides answers. */
  readonly answers: readonly ComparedAnswer[];
}

/**
 * Compares a document with a baseline and its answers: each fact is specified, missing, contradicted, invented,
 * answered or a stale answer. If the answers of the code are given, both sides must say the same.
 *
 * @throws ToolError if a text cannot be understood
 */
export function gate({ baseline, document, overlay, answers }: GateInput): GateReport {
  const stated = readOpenapi(baseline);
  const shown = readOpenapi(document);
  const actions = overlay === undefined ? [] : readOverlay(overlay.text, overlay.file);
  const { root, added, refused } = applyOverlay(stated, actions);
  const [expected, published] = [factsOf(root), factsOf(shown)];

  const specified: Fact[] = [];
  const findings: Finding[] = [];
  for (const pointer of new Set([...expected.all.keys(), ...published.all.keys()])) {
    const [ours, theirs] = [expected.all.get(pointer), published.all.get(pointer)];
    // Where an answer adds an empty map, others may fill it.
    const isFilled = ours?.text === '{}' && theirs === undefined && hasFactsBelow(published, pointer);
    const action = ours && added.get(ours.place);
    const finding = classify(pointer, ours, isFilled && action !== undefined ? ours : theirs, action);
    if (finding === undefined && ours !== undefined) specified.push(ours);
    if (finding !== undefined) findings.push(finding);
  }
  const named = new Set(namedComponents(answersIn(actions)).map(({ name }) => name));
  for (const [pointer, place] of published.used) {
    const [section, name = ''] = pointer.split('/').slice(2);
    const isNamed = section === 'schemas' && named.has(name);
    if (pointer.startsWith('/components/') && !isNamed && !expected.used.has(pointer))
      findings.push({ state: 'invented', pointer, shown: { text: JSON.stringify(name), place } });
  }
  findings.push(...refused.map(toFinding));
  return { specified, findings, answers: compareAnswers(actions, answers) };
}

function hasFactsBelow({ all }: Facts, pointer: string): boolean {
  return [...all.keys()].some((one) => one.startsWith(`${pointer}/`));
}

/** Nothing for a fact that is specified. */
function classify(
  pointer: string,
  stated: Fact | undefined,
  shown: Fact | undefined,
  action: Action | undefined,
): Finding | undefined {
  const finding = { pointer, stated, shown, action };
  if (stated === undefined) return { ...finding, state: 'invented' };
  if (action === undefined) {
    if (shown === undefined) return { ...finding, state: 'missing' };
    return stated.text === shown.text ? undefined : { ...finding, state: 'contradicted' };
  }
  if (shown === undefined) return { ...finding, state: 'stale answer', reason: 'not shown' };
  if (stated.text === shown.text) return { ...finding, state: 'answered' };
  return { ...finding, state: 'stale answer', reason: 'shown differently' };
}

function toFinding({ action, reason, pointer, existing }: RefusedAction): Finding {
  const stated = existing && { text: textOf(existing), place: existing.place };
  return { state: 'stale answer', reason, pointer, stated, action };
}

/** The answers of the overlay as JSON, by question. */
export function answersIn(actions: readonly Action[]): Record<string, unknown> {
  return Object.fromEntries(
    actions.flatMap(({ question, answer }) => (answer === undefined ? [] : [[question, plain(answer)]])),
  );
}

/** By value: `1` is not `"1"`, and the order of keys says nothing. */
function compareAnswers(actions: readonly Action[], code: CodeAnswers | undefined): ComparedAnswer[] {
  const questions = new Set([...actions.map(({ question }) => question), ...(code?.keys() ?? [])]);
  return [...questions].map((question) => {
    const own = actions.filter((action) => action.question === question);
    const action = own.find(({ answer }) => answer !== undefined) ?? own[0];
    const entered = code?.get(question);
    return {
      state: stateOf(question, action, entered, code),
      question,
      action,
      entered,
    };
  });
}

function stateOf(
  question: string,
  action: Action | undefined,
  entered: EnteredAnswer | undefined,
  code: CodeAnswers | undefined,
): ComparedAnswer['state'] {
  if (!QUESTIONS.includes(question)) return 'unknown question';
  const answer = action?.answer ?? (code === undefined ? undefined : entered?.value);
  if (action !== undefined && action.answer === undefined && code !== undefined)
    return 'answer without value';
  if (code !== undefined && (action === undefined || entered === undefined)) return 'missing answer';
  if (entered !== undefined && answer !== undefined && textOf(answer) !== textOf(entered.value))
    return 'contradicting answers';
  return answer === undefined || isExecutableAnswer(question, plain(answer)) ? 'answered' : 'not carried out';
}

/** Whether software carries a plain answer out. It carries out no words. */
export function isExecutableAnswer(question: string, value: unknown): boolean {
  return question in executableOf({ [question]: value });
}

/** Whether the gate passes with a finding or an answer in this state. */
export function passes({ state }: { readonly state: Finding['state'] | ComparedAnswer['state'] }): boolean {
  return state === 'answered' || state === 'not carried out';
}

/** Whether the document shows exactly what is stated and answered, and both sides of each answer say the same. */
export function isClean({ findings, answers }: GateReport): boolean {
  return [...findings, ...answers].every(passes);
}

/** How many facts are in each state; answers are counted by question. */
export type Tally = Readonly<Record<string, number>>;

/** Counts the facts and the answers of a report. */
export function tally({ specified, findings, answers }: GateReport): Tally {
  const facts = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const questions = (state: ComparedAnswer['state']) => answers.filter((one) => one.state === state).length;
  const [answered, words] = [questions('answered'), questions('not carried out')];
  return {
    specified: specified.length,
    missing: facts('missing'),
    contradicted: facts('contradicted'),
    invented: facts('invented'),
    answered,
    'not carried out': words,
    stale: facts('stale answer'),
    unmatched: answers.length - answered - words,
  };
}

/** `11 specified, 0 missing, 0 contradicted, 0 invented, 0 answered`, and what else there is. */
export function tallyLine(counts: Tally): string {
  return Object.entries(counts)
    .filter(([, count], index) => index < 5 || count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}
