import { type Answers, type OpenQuestion, plainAnswers } from '@plant-store/contract';
import { type Page, paragraph, type Text } from '../format/page.js';
import { describeQuestions } from './question.js';

const INTRODUCTION =
  'The interface specification leaves much open: it says "not shown". This page lists each such place, the holes that we found ourselves, and what the software does until somebody answers.';

const HOW_TO_ANSWER =
  'An answer is entered twice: in `libs/contract/src/answers.ts`, and in `libs/contract/spec/answers.overlay.yaml` with who answered, when and why. Enter it in one of them, then run `npx nx run webhook:openapi-diff`: it prints the lines for the other.';

/** The register as a page: a table with counts, then the questions by section of the specification. */
export function describeOpenQuestions(
  questions: readonly OpenQuestion[],
  answers: Answers,
  generator: string,
): Page {
  const given = plainAnswers(answers);
  const sections = describeQuestions(questions, given);
  const row = (title: string, some: readonly OpenQuestion[]): Text[] => {
    const notShown = some.filter(({ foundBy }) => foundBy === 'specification').length;
    const answered = some.filter(({ id }) => given[id] !== undefined).length;
    const counts = [notShown, some.length - notShown, some.length - answered, answered];
    return [[title], ...counts.map((count) => [String(count)])];
  };
  return {
    title: 'Open questions',
    blocks: [
      ...paragraph(INTRODUCTION),
      ...paragraph(HOW_TO_ANSWER),
      {
        kind: 'table',
        caption: 'Questions by section of the specification',
        head: ['Section', 'Not shown', 'Found by us', 'Open', 'Answered'],
        rows: [...sections.map((section) => row(section.title, section.questions)), row('All', questions)],
      },
    ],
    sections,
    generator,
    sources: ['libs/contract/src/register', 'libs/contract/src/answers.ts'],
  };
}
