import { type Answers, openQuestions } from '@plant-store/contract';
import { describeInterface } from '../../src/api/describe-interface.js';
import type { Page } from '../../src/api/page.js';
import { reader } from '../documents.js';

/** A document that exists only in a test, as a page. */
export function describeExample(text: string, answers: Answers = {}): Page {
  const document = 'example.json';
  const generator = 'make pages';
  return describeInterface({
    readText: reader({ [document]: text }),
    document,
    questions: openQuestions,
    answers,
    generator,
  });
}
