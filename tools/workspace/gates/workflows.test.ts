import { exposed, unpinned } from './workflows.mjs';

const checkout = `actions/checkout@${'0'.repeat(40)} # v4.2.2`;
const workflow = `on: pull_request
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: ${checkout}
        with:
          persist-credentials: false
      - run: npm test
`;

test('a workflow that only reads, and pins its actions, has no fault', () => {
  expect([...unpinned(workflow), ...exposed(workflow)]).toEqual([]);
});

test.each([
  { name: 'a tag', from: checkout, to: 'actions/checkout@v4' },
  { name: 'a commit without its version', from: checkout, to: `actions/checkout@${'0'.repeat(40)}` },
])('an action at $name is a fault', ({ from, to }) => {
  expect(unpinned(workflow.replace(from, to))).toEqual([
    '8: pin the action to a commit, with its version in a comment',
  ]);
});

test.each([
  { name: 'writes', from: 'contents: read', to: 'contents: write' },
  { name: 'is given a token by forks', from: 'on: pull_request', to: 'on: { pull_request_target: {} }' },
  { name: 'keeps the token', from: 'persist-credentials: false', to: 'fetch-depth: 0' },
  { name: 'has a secret', from: 'npm test', to: 'npm test --token ${{ secrets.NPM_TOKEN }}' },
  {
    name: 'has a job that writes and runs the repository',
    from: 'runs-on: ubuntu-24.04',
    to: 'runs-on: ubuntu-24.04\n    permissions: { pull-requests: write }',
  },
])('a workflow that $name has a fault', ({ from, to }) => {
  expect(exposed(workflow.replace(from, to))).toHaveLength(1);
});
