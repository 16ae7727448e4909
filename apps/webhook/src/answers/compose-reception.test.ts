import { exampleAnswers } from '@plant-store/example-answers';

import { parseConfig } from '../config.js';
import { composeReception } from './compose-reception.js';

const settings = { ACCESS_TOKENS: 'example-arbitrary', SIGNING_KEYS: 'whsec_YQ==' };

test.each([
  { world: 'everything open', given: {}, environment: { ...settings, SIGNING_KEYS: '' } },
  { world: 'the example answers', given: exampleAnswers, environment: settings },
])('with $world nothing of it can be changed', ({ given, environment }) => {
  const reception = composeReception(given, parseConfig(environment, given));
  const parts = [
    reception,
    reception.challenges,
    reception.refusals,
    reception.refusals['token-invalid'],
    reception.refusals['token-invalid'].fields,
    reception.acknowledgement,
    reception.acknowledgement.fields,
  ];

  expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
});
