/**
 * `nx run workspace:workflows [FILE…]`: each action is pinned to a commit, and no job hands a token to what it runs of the
 * repository. A step may have one if it comes last in a job with an environment, which somebody approves.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';

/** An action of others at a commit, with its version beside it. */
const PINNED = /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** The expressions that have a token or another secret. */
const SECRET = /secrets\.|github\.token|GITHUB_TOKEN/;

const given = process.argv.slice(2);
for (const file of given.length > 0 ? given : readdirSync(FOLDER).map((name) => `${FOLDER}/${name}`)) {
  const text = readFileSync(file, 'utf8');
  for (const fault of [...unpinned(text), ...exposed(parse(text))]) {
    console.error(`${file}${fault}`);
    process.exitCode = 1;
  }
}

/** @param {string} text */
function unpinned(text) {
  return text.split('\n').flatMap((line, index) => {
    const isUnpinned = /^\s*(- )?uses:/.test(line) && !PINNED.test(line);
    return isUnpinned ? [`:${index + 1}: pin the action to a commit, with its version in a comment`] : [];
  });
}

/** @param {{ on: object, permissions?: object, jobs: Record<string, any> }} workflow */
function exposed({ on, permissions, jobs }) {
  const faults = [];
  if (JSON.stringify(on).includes('pull_request_target')) {
    faults.push(': pull_request_target gives the code of a fork a token');
  }
  if (JSON.stringify(permissions) !== '{"contents":"read"}') {
    faults.push(': the workflow may do more than read contents');
  }
  for (const [name, { permissions: own, environment, env, steps }] of Object.entries(jobs)) {
    const checkouts = steps.filter((/** @type {any} */ { uses = '' }) =>
      uses.startsWith('actions/checkout@'),
    );
    if (checkouts.length === 0) continue;
    if (own !== undefined) faults.push(`: ${name} has permissions of its own, and runs the repository`);
    if (checkouts.some((/** @type {any} */ step) => step.with?.['persist-credentials'] !== false)) {
      faults.push(`: ${name} leaves its token in the working copy: set persist-credentials to false`);
    }
    const others = environment === undefined ? steps : steps.slice(0, -1);
    if (SECRET.test(JSON.stringify([env, others]))) {
      faults.push(`: ${name} has a token, and runs the repository`);
    }
  }
  return faults;
}
