import { openQuestions, plainAnswers } from '@plant-store/contract';
import { answerFaults } from '@plant-store/contract/check';

import { exampleAnswers } from './example-answers.js';

test('answer every question of the register', () => {
  expect(Object.keys(exampleAnswers).sort()).toEqual(openQuestions.map(({ id }) => id).sort());
});

test('can be carried out', () => {
  expect(answerFaults(exampleAnswers)).toEqual([]);
});

test('can be written down as JSON', () => {
  const plain = plainAnswers(exampleAnswers);
  expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
});
