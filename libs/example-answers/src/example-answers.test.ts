import { isExecutable, openQuestions } from '@plant-store/contract';
import { valueFaults } from '@plant-store/contract/check';

import { exampleAnswers } from './example-answers.js';
import { answers as jsonSchemaPayload } from './json-schema-payload.js';
import { answers as realPayload } from './real-payload.js';

test('answer every question that the software carries out, in the order of the register', () => {
  expect(Object.keys(exampleAnswers)).toEqual(openQuestions.map(({ id }) => id).filter(isExecutable));
});

test.each(Object.entries({ exampleAnswers, jsonSchemaPayload, realPayload }))(
  '%s can be carried out',
  (_name, answers) => {
    expect(valueFaults(answers)).toEqual([]);
  },
);
