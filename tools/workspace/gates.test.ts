import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8');
const manifest = readFileSync(join(root, 'deploy/kubernetes.yaml'), 'utf8');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gates-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What each gate says of a fault in the file that it is given. */
test.each([
  ['workflows', 'a tag', workflow.replace(/@[0-9a-f]{40} # /, '@'), 'pin the action to a commit'],
  ['workflows', 'writes', workflow.replace('contents: read', 'contents: write'), 'may do more than read'],
  [
    'workflows',
    'a fork',
    workflow.replace('pull_request:', 'pull_request_target:'),
    'gives the code of a fork',
  ],
  ['workflows', 'keeps the token', workflow.replace('persist-credentials: false', ''), 'leaves its token'],
  ['workflows', 'a secret', workflow.replace(': .ci/run', ': a ${{ secrets.A }}'), 'has a token, and runs'],
  [
    'workflows',
    'a job that writes',
    workflow.replace('runs-on:', 'permissions: { contents: write }\n    runs-on:'),
    'has permissions of its own',
  ],
  ['kubernetes', 'a field that is unknown', manifest.replace('replicas:', 'replica:'), '\'"replica"\''],
  ['kubernetes', 'another type', manifest.replace('replicas: 1', 'replicas: one'), "'string'"],
  ['secrets', 'access-tokens', 'arbitrary', 'take this secret out of git'],
  ['secrets', 'a key', `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(64)}`, 'take this secret out of git'],
])('%s: %s is a fault', (gate, name, content, said) => {
  const file = join(folder, name);
  writeFileSync(file, content);
  const { status, stderr } = spawnSync(process.execPath, [`tools/workspace/gates/${gate}.mjs`, file], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(said) as string });
});
