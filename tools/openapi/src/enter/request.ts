import type { Answers } from '@plant-store/contract';
import { answerFaults, isDay } from '@plant-store/contract/check';
import { QUESTIONS, SCHEMA_QUESTIONS } from '../gate/code-answers.js';
import { isCarriedOut } from '../gate/gate.js';
import { FILES } from '../repository.js';

/** What `npm run answer` was asked to do. */
export interface AnswerRequest {
  readonly question: string;
  /** As JSON; undefined if the code has the answer already. */
  readonly value?: unknown;
  readonly who?: string | undefined;
  readonly date: string;
  readonly reason?: string | undefined;
  /** Replace the answer that is there. */
  readonly replace: boolean;
  /** Open the question again. */
  readonly remove: boolean;
}

/** Whether only the actions of an answer are to be written again. */
export function isRewrite({ value, who, reason, replace, remove }: AnswerRequest): boolean {
  return value === undefined && who === undefined && reason === undefined && !replace && !remove;
}

/**
 * Every fault of a request, one line each.
 *
 * @param answers those of the code
 * @param isSigned whether the overlay has an answer to its question
 */
export function requestFaults(request: AnswerRequest, answers: Answers, isSigned: boolean): string[] {
  const { question, value, who = '', date, reason = '', replace, remove } = request;
  const provenance = remove
    ? []
    : [
        ...(who.trim() === '' ? ['--who is missing: who answered'] : []),
        ...(isDay(date) ? [] : [`--date must be a day such as 2026-01-31 (got ${date})`]),
        ...(reason.trim() === '' ? ['--reason is missing: why, or where to read it'] : []),
      ];
  if (question === '') return ['--question is missing', ...provenance];
  if (!QUESTIONS.includes(question))
    return [`--question: there is no ${question}. The questions: ${QUESTIONS.join(', ')}`, ...provenance];
  const isInCode = question in answers;
  if (remove) {
    if (!isInCode && !isSigned) return [`--remove: ${question} has no answer`];
    const others = Object.fromEntries(Object.entries(answers).filter(([id]) => id !== question));
    return answerFaults(others).map((fault) => `--remove: another answer needs this one. ${fault}`);
  }
  const isWords = value !== undefined && !isCarriedOut(question, value);
  if (SCHEMA_QUESTIONS.includes(question) && !isWords && (value !== undefined || !isInCode))
    return [
      `--value: ${question} is answered with a schema, which is code. Write it in ${FILES.answers} as docs/how-to/answer-a-question.md says, then run this again without --value`,
      ...provenance,
    ];
  if (value === undefined && !isInCode) return ['--value is missing', ...provenance];
  const isThere = isSigned || (value !== undefined && isInCode);
  const next = value === undefined ? answers : { ...answers, [question]: value };
  return [
    ...(isThere && !replace ? [`${question} has an answer already. To replace it, add --replace`] : []),
    ...answerFaults(next).map((fault) => `--value: ${fault}`),
    ...provenance,
  ];
}
