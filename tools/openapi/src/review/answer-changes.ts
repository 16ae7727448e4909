import { type OpenQuestion, openQuestions, type Rollout, type Step } from '@plant-store/contract';
import { type Ledger, type LedgerEntry, wordsOf } from '../ledger.js';
import { code, escape, marked } from '../markdown.js';
import { consequencesOf } from '../pages/answers.js';

/** A question whose answer differs from that of the base. */
export interface AnswerChange {
  readonly kind: 'new' | 'changed' | 'withdrawn' | 'signed again';
  /** `Size limits` */
  readonly title: string;
  /** What is to be said of it, as Markdown. */
  readonly lines: readonly string[];
  readonly rollout: Rollout;
  readonly step: Step;
}

const STEPS: readonly Step[] = ['major', 'minor', 'patch'];
const KINDS: readonly AnswerChange['kind'][] = ['new', 'changed', 'withdrawn', 'signed again'];

/** The answers that are new, changed or withdrawn, in the order of the register. */
export function answerChanges(before: Ledger, after: Ledger): AnswerChange[] {
  const questions: readonly OpenQuestion[] = openQuestions;
  return questions.flatMap((question) => {
    const [was, is] = [before[question.id], after[question.id]];
    const kind = kindOf(was, is);
    if (kind === undefined) return [];
    const { rollout, step } = meaningOf(question, kind, was, is);
    const missing = (question.beside ?? []).filter((other) => after[other]?.is === undefined);
    const lines = [
      `${code(question.id)}: ${is === undefined ? 'open again' : code(wordsOf(is))}${was !== undefined && kind !== 'signed again' ? ` (was ${code(wordsOf(was))})` : ''}`,
      is === undefined ? `Was answered by ${signatureOf(was!)}` : `Answered by ${signatureOf(is)}`,
      ...(is?.inWords === undefined ? [] : ['In words: the software does not carry it out.']),
      ...(isCarried(is) ? consequencesOf(question.answered!).map(marked) : []),
      ...(isCarried(is) && missing.length > 0
        ? [`Shows only beside an answer to ${missing.map(code).join(' and ')}, which is open.`]
        : []),
      ...(kind === 'signed again' ? [] : [`Roll out: ${rollout}`, `Version step: ${step}`]),
    ];
    return [{ kind, title: question.title, lines, rollout, step }];
  });
}

function kindOf(was: LedgerEntry | undefined, is: LedgerEntry | undefined): AnswerChange['kind'] | undefined {
  if (was === undefined) return is && 'new';
  if (is === undefined) return 'withdrawn';
  if (JSON.stringify([was.is, was.inWords]) !== JSON.stringify([is.is, is.inWords])) return 'changed';
  return signatureOf(was) === signatureOf(is) ? undefined : 'signed again';
}

/** What the register says of a first answer. A change of what is carried out is a transition, and major. */
function meaningOf(
  { answered }: OpenQuestion,
  kind: AnswerChange['kind'],
  was: LedgerEntry | undefined,
  is: LedgerEntry | undefined,
): { readonly rollout: Rollout; readonly step: Step } {
  if (kind === 'signed again' || (!isCarried(was) && !isCarried(is)))
    return { rollout: 'any order', step: 'patch' };
  return isCarried(was) ? { rollout: 'transition', step: 'major' } : answered!;
}

const isCarried = (answer: LedgerEntry | undefined): boolean =>
  answer !== undefined && answer.inWords === undefined;

function signatureOf({ who, on, why }: LedgerEntry): string {
  return escape(`${who} on ${on}: ${why}`);
}

/** The changes in Markdown: first the counts, then a part for each change, the larger version steps first. */
export function renderAnswerChanges(changes: readonly AnswerChange[]): string {
  const counts = KINDS.flatMap((kind) => {
    const { length } = changes.filter((change) => change.kind === kind);
    return length === 0 ? [] : [`${length} ${kind}`];
  });
  const sorted = STEPS.flatMap((step) => changes.filter((change) => change.step === step));
  const orders = changes.map(({ rollout }) => rollout);
  const areOpposite = orders.includes('receivers first') && orders.includes('senders first');
  return [
    `**${counts.join(', ')}. Version step: ${sorted[0]!.step}.**`,
    ...(areOpposite
      ? [
          'Some of these answers need receivers first, others senders first, and one build can have only one order. Split the change, or enter the later answers in words until the others are deployed.',
        ]
      : []),
    ...sorted.map(
      ({ title, kind, lines }) =>
        `### ${escape(title)}: ${kind}\n\n${lines.map((line) => `- ${line}`).join('\n')}`,
    ),
  ].join('\n\n');
}
