import { answerParts, type DescribedChange } from './describe-change.js';
import { cut, escape, joinSome } from './markdown.js';

/** What a page says. */
export interface Review {
  /** What the working tree is compared with: `main`. Undefined for an empty document. */
  readonly base: string | undefined;
  /** What else the reader has to know about that. */
  readonly note: string | undefined;
  readonly answers: readonly DescribedChange[];
  /** The changes of the document in Markdown. Empty if there are none. */
  readonly changes: string;
  /** The findings of the gate in Markdown. Empty if there are none. */
  readonly findings: string;
  /** The command that prints all of it. */
  readonly command: string;
}

/** GitHub takes a comment of 65,536 characters. */
export const MAX_PAGE = 60_000;

/** Of a page that is too long, answers take no more than this, and changes leave as much as this for findings. */
const MAX_ANSWERS = 25_000;
const MAX_FINDINGS = 15_000;

/**
 * The page in Markdown: the answers, the changes of the document, the findings of the gate. Empty if there is nothing
 * to say. Each part begins with what matters most, and ends early if the page would be longer than `room`.
 */
export function renderReview(review: Review, room = MAX_PAGE): string {
  const { changes, findings, command } = review;
  const answers = answerParts(review.answers);
  if (answers.length === 0 && changes === '' && findings === '') return '';
  const whole = page(review, answers.join('\n\n'), changes, findings);
  if (whole.length <= room) return whole;
  const some = joinSome(answers, MAX_ANSWERS, rest('answer', command));
  const besideChanges = page(review, some, 'x', findings.slice(0, MAX_FINDINGS)).length;
  const changed = cut(changes, room - besideChanges, rest('change', command));
  const besideFindings = page(review, some, changed, 'x').length;
  return page(review, some, changed, cut(findings, room - besideFindings, rest('finding', command)));
}

function page({ base, note = '' }: Review, answers: string, changes: string, findings: string): string {
  const since = base === undefined ? '' : ` since ${escape(base)}`;
  const parts = [
    ['', escape(note)],
    [`## Answers${since}\n\n`, answers],
    [`## Changes of the document${since}\n\n`, changes],
    ['## The document differs from what is stated\n\n', findings],
  ];
  return parts
    .filter(([, text]) => text !== '')
    .map(([title = '', text = '']) => `${title}${text.trim()}\n`)
    .join('\n');
}

/** `and 12 more changes: command` */
function rest(what: string, command: string): (count: number) => string {
  return (count) => {
    const more = count === 0 ? 'more' : `${count} more ${what}${count === 1 ? '' : 's'}`;
    return `and ${more}: \`${command}\``;
  };
}
