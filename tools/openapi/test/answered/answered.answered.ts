/**
 * Enters a set of answers into a clone, and runs there what answers can break.
 *
 * The tests of receiver, sender, types and document prove what an answer changes. This proves that the repository
 * stays whole: no test, gate, page or guide needs a question to be open. Left out is what opens every question or reads
 * none: most end-to-end tests, the projects below, and the gates of form.
 */
import { rmSync } from 'node:fs';
import { commitAll } from '@plant-store/test-support/clone';
import { cloneRepository, runInClone } from '../clone.js';
import { setNames } from './answer-sets.js';

const WITHOUT_ANSWERS = ['webhook-e2e', 'soak', 'boundaries', 'workspace'];

const GATES = [
  'typecheck',
  'openapi-check',
  'openapi-diff',
  'openapi-lint',
  'pages-check',
  'package-api-check',
  'links',
  'dependencies',
];

describe.each(setNames)('%s', (set) => {
  let clone: string;

  beforeAll(() => {
    clone = cloneRepository();
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  /** Each runs even after one has failed. */
  test.each([
    ['npm run enter-examples', () => `npm run enter-examples -- ${set}`],
    ['npm test', () => `npm test -- --exclude ${WITHOUT_ANSWERS.join()}`],
    ['the guides', () => 'npx nx guide webhook-e2e && npx nx guide openapi'],
    ['the gates', () => `npx nx run-many -t ${GATES.join(' ')} && npx eslint libs/contract`],
    ['npm run review', () => "npm run --silent review -- --base HEAD~1 | grep '^## Answers'"],
  ])('%s', (name, commands) => {
    const { failed, output } = runInClone(clone, commands());
    // Like any other change on main.
    if (name === 'npm run enter-examples') commitAll(clone);
    expect(failed ? output : '').toBe('');
  });
});
