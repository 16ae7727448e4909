/** `node write-words.js FILE`: writes the answers of the contract in words, with their units, for pages. */
import { writeFileSync } from 'node:fs';

import { answers, plainAnswers, type QuestionId } from '@plant-store/contract';

import { answerInWords } from './effects.js';

const [file = ''] = process.argv.slice(2);
const words = Object.entries(plainAnswers(answers)).map(([question, answer]) => [
  question,
  answerInWords(question as QuestionId, answer),
]);
writeFileSync(file, `${JSON.stringify(Object.fromEntries(words), null, 2)}\n`);
