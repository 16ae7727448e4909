import { answers, CONTENT_METHODS } from '@plant-store/contract';

import { exampleAnswers } from '../../test/example-answers.js';
import { acceptedMethods } from './accepted-methods.js';

test('with the question open: every method that carries content and changes state', () => {
  expect(acceptedMethods({})).toEqual(['POST', 'PUT', 'PATCH']);
});

test.each(CONTENT_METHODS)('with the question answered: %s and no other', (method) => {
  expect(acceptedMethods({ 'http-method': method })).toEqual([method]);
});

test('with the example answers: the one that they name', () => {
  expect(acceptedMethods(exampleAnswers)).toEqual(['PUT']);
});

test('as things are: what the answers that were given say', () => {
  expect(acceptedMethods(answers)).toEqual(
    'http-method' in answers ? [answers['http-method']] : CONTENT_METHODS,
  );
});
