export { exampleAnswers } from './example-answers.js';
export { exampleEvent, examplePlant } from './example-plant.js';
