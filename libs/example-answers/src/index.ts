export { exampleAnswers, examplesOf } from './example-answers.js';
export { answers as jsonSchemaPayload } from './json-schema-payload.js';
export { answers as realPayload } from './real-payload.js';
