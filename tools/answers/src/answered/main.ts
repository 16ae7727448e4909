/**
 * `npm run answered [-- --all | SET...]`: enters sets of answers, each into a clone of this working copy, and runs all
 * tests and gates there. Without arguments it tries one set: all example answers together.
 */
import { parseArgs } from 'node:util';

import { ALL_TOGETHER, answerSets } from './answer-sets.js';
import { runSets } from './run-sets.js';

const { values, positionals } = readArguments();
const sets = answerSets();
const names = sets.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) fail(`No set is named ${unknown.join(', ')}. The sets: ${names.join(', ')}.`);

const wanted = values.all ? names : positionals.length > 0 ? positionals : [ALL_TOGETHER];
process.exitCode = runSets(sets.filter(({ name }) => wanted.includes(name))) ? 0 : 1;

function readArguments(): { values: { all: boolean }; positionals: string[] } {
  try {
    return parseArgs({ options: { all: { type: 'boolean', default: false } }, allowPositionals: true });
  } catch (error) {
    return fail((error as Error).message);
  }
}

function fail(message: string): never {
  console.error(`answered: ${message}`);
  process.exit(2);
}
