/**
 * Enters a set of answers into a clone, on both sides, and runs there what a contributor runs.
 *
 * The matrix proves what an answer changes in receiver, sender, types and document. This proves that the repository
 * stays whole: no test, gate, page or guide needs a question to be open.
 */
import { rmSync } from 'node:fs';
import { commitAll } from '@plant-store/test-support/clone';
import { cloneRepository, runInClone } from '../clone.js';
import { answerSets, enterAnswers } from './answer-sets.js';

describe.each(answerSets())('$name', (set) => {
  let clone: string;
  let written: string[];

  beforeAll(() => {
    clone = cloneRepository();
    written = enterAnswers(clone, set);
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  /** Each runs even after one has failed. */
  test.each([
    ['npm run generate', () => `npx prettier --write ${written.join(' ')} && npm run generate`],
    ['npm test', () => 'npm test'],
    ['npm run check', () => 'npm run check'],
    ['npm run review', () => "npm run --silent review -- --base HEAD~1 | grep '^## Answers'"],
  ])('%s', (name, commands) => {
    const { failed, output } = runInClone(clone, commands());
    // Like any other change on main.
    if (name === 'npm run generate') commitAll(clone);
    expect({ failed, output }).toEqual({ failed: false, output });
  });
});
