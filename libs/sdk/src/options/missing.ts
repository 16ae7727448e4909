import { openQuestions, type QuestionId } from '@plant-store/contract';
import { Fault } from './fault.js';

/** The fault of an option that has no default because a question is open; it cites the question. */
export function missing(option: string, id: QuestionId): Fault {
  const { question, answer } = openQuestions.find((entry) => entry.id === id)!;
  return new Fault(
    option,
    `is missing, and has no default while the question ${id} is open: "${question}" Expected: ${answer}`,
    id,
  );
}
