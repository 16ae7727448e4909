import { exampleAnswers } from '@plant-store/example-answers';

import { parseConfig } from '../config/config.js';
import { composeAnswers } from './compose-answers.js';

const settings = { ACCESS_TOKENS: 'example-arbitrary', SIGNING_KEYS: 'whsec_YQ==' };

test.each([
  { scenario: 'everything open', given: {}, environment: { ...settings, SIGNING_KEYS: '' } },
  { scenario: 'the example answers', given: exampleAnswers, environment: settings },
])('with $scenario nothing of it can be changed', ({ given, environment }) => {
  const composed = composeAnswers(given);
  const pipeline = composed.createPipeline(parseConfig(environment, composed.settings));
  const parts = [
    composed,
    composed.challenges,
    composed.document,
    pipeline,
    pipeline.headSteps,
    pipeline.contentSteps,
    pipeline.refusals,
    pipeline.refusals['token-invalid'],
    pipeline.refusals['token-invalid'].fields,
    pipeline.acknowledgement,
    pipeline.acknowledgement.fields,
  ];

  expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
});
