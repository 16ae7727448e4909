import { readFileSync } from 'node:fs';

const workflow = readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8');
const [, check = '', publish = ''] = workflow.split(/^ {2}(?:check|publish):$/m);

function valuesOf(key: string, text = workflow): (string | undefined)[] {
  return Array.from(text.matchAll(new RegExp(`^ *(?:- )?${key}: (.*)$`, 'gm')), ([, value]) => value);
}

test('every action is pinned to a commit, with its version beside it', () => {
  const actions = valuesOf('uses');
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('it runs for a tag of a version, and may only read', () => {
  expect(valuesOf('tags')).toEqual(["['v[0-9]+.[0-9]+.[0-9]+']"]);
  expect(workflow.match(/permissions:\n(?: +.*\n)*/g)).toEqual(['permissions:\n  contents: read\n']);
  expect(valuesOf('persist-credentials')).toEqual(['false', 'false']);
});

test('it publishes only after .ci/run has passed', () => {
  expect(valuesOf('run', check)).toEqual(['.ci/run']);
  expect(valuesOf('needs', publish)).toEqual(['check']);
});

test('only the last step of the job that publishes has the token, in an environment of its own', () => {
  expect(check).not.toContain('secrets.');
  expect(valuesOf('environment', publish)).toEqual(['release']);
  const [last = '', ...others] = publish.split(/^ {6}- /m).reverse();
  expect(last).toContain('NPM_TOKEN: ${{ secrets.NPM_TOKEN }}');
  expect(others.join()).not.toContain('secrets.');
  // Nothing from the registry is run by the installation: .npmrc sets ignore-scripts.
  expect(readFileSync(new URL('../../.npmrc', import.meta.url), 'utf8')).toContain('ignore-scripts=true\n');
});

test('it publishes what is tagged, with the address of the repository', () => {
  const steps = valuesOf('run', publish);
  expect(steps).toContain(
    `test "v$(node -p "require('./libs/sdk/package.json').version")" = "$GITHUB_REF_NAME"`,
  );
  expect(steps).toContain(
    'node tools/workspace/package/set-address.mjs "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"',
  );
  expect(publish).toContain('npx nx release publish\n');
});
