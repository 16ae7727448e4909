export { exampleAnswers } from './example-answers.js';
export { exampleEvent, examplePlant } from './example-plant.js';
export { answers as jsonSchemaPayload } from './json-schema-payload.js';
export { answers as realPayload } from './real-payload.js';
