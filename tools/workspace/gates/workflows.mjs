import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';

/** An action of others at a commit, with its version beside it. Ours have no commit. */
const PINNED = /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** The expressions that have a token or another secret. */
const SECRET = /secrets\.|github\.token|GITHUB_TOKEN/;

/**
 * Gate: actions are pinned to commits, and no job hands a token to what it runs. Returns a line for each fault.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function workflowFaults(folder) {
  return readdirSync(join(folder, FOLDER)).flatMap((name) => {
    const text = readFileSync(join(folder, FOLDER, name), 'utf8');
    return [...unpinned(text), ...exposed(text)].map((fault) => `${FOLDER}/${name}:${fault}`);
  });
}

/**
 * The actions that aren't pinned.
 *
 * @param {string} text of a workflow
 */
export function unpinned(text) {
  return text.split('\n').flatMap((line, index) => {
    const isUnpinned = /^\s*(- )?uses:/.test(line) && !PINNED.test(line);
    return isUnpinned ? [`${index + 1}: pin the action to a commit, with its version in a comment`] : [];
  });
}

/**
 * The jobs that run something of the repository and could hand it a token. A step may have one if it comes last in a job
 * with an environment, which somebody approves.
 *
 * @param {string} text of a workflow
 */
export function exposed(text) {
  /** @type {{ on: object, permissions?: object, jobs: Record<string, any> }} */
  const { on, permissions, jobs } = parse(text);
  const readOnly = JSON.stringify({ contents: 'read' });
  return [
    ...(JSON.stringify(on).includes('pull_request_target')
      ? [' pull_request_target gives the code of a fork a token']
      : []),
    ...(JSON.stringify(permissions) === readOnly ? [] : [' the workflow may do more than read contents']),
    ...Object.entries(jobs).flatMap(([name, { permissions: own, environment, env, steps }]) => {
      const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
      if (checkouts.length === 0) return [];
      const others = environment === undefined ? steps : steps.slice(0, -1);
      return [
        ...(own === undefined ? [] : [` ${name} has permissions of its own, and runs the repository`]),
        ...(checkouts.every((/** @type {any} */ step) => step.with?.['persist-credentials'] === false)
          ? []
          : [` ${name} leaves its token in the working copy: set persist-credentials to false`]),
        ...(SECRET.test(JSON.stringify([env, others]))
          ? [` ${name} has a token, and runs the repository`]
          : []),
      ];
    }),
  ];
}
