import { type Answers, openQuestions } from '@plant-store/contract';
import { describeInterface } from '../../src/pages/interface.js';
import type { Page } from '../../src/format/page.js';
import { reader } from '../documents.js';
import { given } from '../given.js';

/** A document that exists only in a test, as a page. */
export function describeExample(text: string, answers: Answers = {}): Page {
  const document = 'example.json';
  const generator = 'npx nx run openapi:api';
  return describeInterface({
    readText: reader({ [document]: text }),
    document,
    questions: openQuestions,
    answers: given(answers),
    generator,
  });
}
