import { readFileSync } from 'node:fs';

const workflow = readFileSync(new URL('../../.github/workflows/ci.yml', import.meta.url), 'utf8');
const valuesOf = (key: string) =>
  Array.from(workflow.matchAll(new RegExp(`^ *(?:- )?${key}: (.*)$`, 'gm')), ([, value]) => value);

test('every action is pinned to a commit, with its version beside it', () => {
  const actions = valuesOf('uses');
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('it may only read', () => {
  expect(workflow.match(/permissions:\n((?: +.*\n)*)/g)).toEqual(['permissions:\n  contents: read\n']);
});

test('it runs .ci/run, on each version of Node.js that is supported', () => {
  expect(valuesOf('run')).toEqual([
    '.ci/run',
    'node tools/workspace/review.mjs --base "$BASE" --format github',
    'node tools/workspace/review.mjs --base "$BASE" >> "$GITHUB_STEP_SUMMARY"',
  ]);
  expect(valuesOf('node')).toEqual(['[20, 22, 24]']);
});
