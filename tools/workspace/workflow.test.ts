import { readFileSync } from 'node:fs';

const workflow = readFileSync(new URL('../../.github/workflows/ci.yml', import.meta.url), 'utf8');

/** The text of each job. */
const jobs = Object.fromEntries(
  Array.from(
    workflow.split(/^jobs:\n/m)[1]!.matchAll(/^ {2}(\w+):\n((?: {4,}.*\n|\n)+)/gm),
    ([, name = '', text = '']) => [name, text],
  ),
);

function valuesOf(key: string, text = workflow): (string | undefined)[] {
  return Array.from(text.matchAll(new RegExp(`^ *(?:- )?${key}: (.*)$`, 'gm')), ([, value]) => value);
}

const permissionsIn = (text: string): string[] =>
  Array.from(text.matchAll(/^( *)permissions:\n((?:\1 +.*\n)*)/gm), ([, , lines = '']) =>
    lines.replace(/^ +/gm, ''),
  );

test('every action is pinned to a commit, with its version beside it', () => {
  const actions = valuesOf('uses');
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('it may only read, but for the job that comments', () => {
  expect(Object.keys(jobs)).toEqual(['check', 'review', 'comment']);
  expect(permissionsIn(workflow)).toEqual(['contents: read\n', 'contents: read\npull-requests: write\n']);
  expect(permissionsIn(jobs['comment']!)).toEqual(['contents: read\npull-requests: write\n']);
  expect(workflow).not.toContain('pull_request_target');
  expect(workflow).not.toContain('secrets.');
});

test('no job leaves its token where what it runs could read it', () => {
  const checkouts = valuesOf('uses').filter((action) => action?.startsWith('actions/checkout@'));
  expect(valuesOf('persist-credentials')).toEqual(checkouts.map(() => 'false'));
  expect(valuesOf('GITHUB_TOKEN')).toEqual(['${{ github.token }}']);
  expect(valuesOf('GITHUB_TOKEN', jobs['comment'])).toHaveLength(1);
});

test('it runs .ci/run, on each version of Node.js that is supported', () => {
  expect(valuesOf('run', jobs['check'])).toEqual(['.ci/run']);
  expect(valuesOf('node', jobs['check'])).toEqual(['[20, 22, 24, 26]']);
});

test('the review is annotated, on the page of the run, and handed on; no fault of one keeps back the next', () => {
  expect(valuesOf('run', jobs['review'])).toEqual([
    'npm ci',
    'node tools/workspace/review.mjs --base "$BASE" --format github',
    'node tools/workspace/review.mjs --base "$BASE" > review.md',
    'cat review.md >> "$GITHUB_STEP_SUMMARY"',
  ]);
  expect(valuesOf('if', jobs['review'])).toEqual(['${{ !cancelled() }}', '${{ !cancelled() }}']);
  expect(valuesOf('BASE', jobs['review'])).toEqual([
    '${{ github.event.pull_request.base.sha || github.event.before }}',
  ]);
  expect(valuesOf('fetch-depth', jobs['review'])).toEqual(['0']);
});

describe('the job that comments', () => {
  const comment = jobs['comment']!;

  test('waits for the review alone, and is left out for a fork, whose token may not write', () => {
    expect(valuesOf('needs', comment)).toEqual(['review']);
    expect(valuesOf('if', comment)).toEqual([
      '${{ github.event.pull_request.head.repo.full_name == github.repository }}',
    ]);
  });

  test('runs one script, of the base, and nothing of the pull request', () => {
    expect(valuesOf('run', comment)).toEqual([
      'node tools/workspace/comment.mjs "$RUNNER_TEMP/review/review.md"',
    ]);
    expect(valuesOf('ref', comment)).toEqual(['${{ github.event.pull_request.base.sha }}']);
    expect(valuesOf('sparse-checkout', comment)).toEqual(['tools/workspace/comment.mjs']);
    // It is checked out alone.
    const script = readFileSync(new URL('comment.mjs', import.meta.url), 'utf8');
    expect(Array.from(script.matchAll(/from '(.*)'/g), ([, name]) => name)).toEqual(['node:fs', 'node:url']);
  });

  test('puts what it was handed outside of the working copy', () => {
    expect(valuesOf('path', comment)).toEqual(['${{ runner.temp }}/review']);
  });
});
