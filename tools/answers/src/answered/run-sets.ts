import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commitAll } from '@plant-store/test-support/clone';
import { cloneRepository, ROOT } from './clone.js';
import { type AnswerSet, enterAnswers } from './enter-answers.js';

/** What is done in a clone with answers. */
const STEPS = {
  generate: 'npm run generate',
  test: 'npm test',
  check: 'npm run check',
  review:
    "set -o pipefail; node tools/workspace/review.mjs --base HEAD~1 | tee /dev/stderr | grep '^## Answers'",
};

/** The lines of `npm test` and `npm run check` that say how a project or a gate did. */
const RESULT = /^\S+ +(?:\d+ passed, |no report|ok +|failed; )/;

const LOGS = join(ROOT, 'test-output/answered');

/**
 * Enters each set into a clone of its own and runs the tests and the gates there, each even after one has failed.
 * Prints what passed and what failed, and all output of what failed.
 *
 * @returns whether everything passed
 */
export function runSets(sets: readonly AnswerSet[]): boolean {
  mkdirSync(LOGS, { recursive: true });
  const failed = sets.flatMap((set) => runSet(set));
  console.log(failed.length === 0 ? '\nEverything passed.' : `\nFailed: ${failed.join(', ')}`);
  return failed.length === 0;
}

/** Returns the steps that failed. */
function runSet(set: AnswerSet): string[] {
  console.log(`\n${set.name}`);
  const clone = cloneRepository();
  try {
    const written = enterAnswers(clone, set);
    const run = (name: string, command: string): string[] => {
      const start = performance.now();
      const log = join(LOGS, `${set.name}-${name}.log`);
      const isOk = succeeds(command, clone, log);
      const seconds = ((performance.now() - start) / 1_000).toFixed(0);
      console.log(`  ${name}: ${isOk ? 'passed' : 'failed'} after ${seconds} s`);
      const output = readFileSync(log, 'utf8');
      for (const line of output.split('\n')) if (RESULT.test(line)) console.log(`    ${line}`);
      if (!isOk) console.log(output);
      return isOk ? [] : [`${set.name} (${name})`];
    };
    const generate = `npx prettier --write ${written.join(' ')} && ${STEPS.generate}`;
    const notGenerated = run('generate', generate);
    // Like any other change on main.
    commitAll(clone);
    const { test, check, review } = STEPS;
    return [...notGenerated, ...run('test', test), ...run('check', check), ...run('review', review)];
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function succeeds(command: string, cwd: string, log: string): boolean {
  const file = openSync(log, 'w');
  try {
    return spawnSync('bash', ['-c', command], { cwd, stdio: ['ignore', file, file] }).status === 0;
  } finally {
    closeSync(file);
  }
}
