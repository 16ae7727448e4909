import { askNx } from './nx.mjs';

/** A target runs again after a change of a file that it reads, and comes from the cache otherwise. */
test.each([
  {
    target: 'contract:test',
    again: [
      'libs/contract/src/facts.ts',
      'libs/contract/src/index.test.ts',
      'jest.shared.mjs',
      'tsconfig.base.json',
    ],
    cached: [
      'libs/sdk/package.json',
      'CONTRIBUTING.md',
      'eslint.config.mjs',
      'tools/boundaries/boundaries.mjs',
    ],
  },
  {
    target: 'sdk:test',
    again: [
      'libs/sdk/package.json',
      'libs/contract/src/facts.ts',
      'libs/contract/package.json',
      'package-lock.json',
    ],
    cached: ['libs/contract/src/index.test.ts', 'apps/webhook/package.json', 'CONTRIBUTING.md'],
  },
  {
    target: 'webhook:test',
    again: ['apps/webhook/package.json', 'libs/contract/src/facts.ts'],
    cached: ['libs/contract/src/index.test.ts', 'libs/sdk/package.json', 'docs/reference/dependencies.md'],
  },
  {
    target: 'openapi:test',
    again: ['libs/contract/src/facts.ts', 'apps/webhook/openapi.json', 'OPEN_QUESTIONS.md'],
    cached: ['libs/contract/src/index.test.ts', 'docs/reference/dependencies.md'],
  },
  {
    target: 'webhook-e2e:test',
    again: [
      'apps/webhook/package.json',
      'libs/sdk/package.json',
      'libs/contract/src/facts.ts',
      'README.md',
      'docs/how-to/write-a-handler.md',
    ],
    cached: ['tools/openapi/package.json', 'tools/workspace/test.mjs', 'CONTRIBUTING.md'],
  },
  {
    target: 'workspace:lint-all',
    again: ['eslint.config.mjs', 'libs/contract/src/facts.ts', 'tools/boundaries/boundaries.test.ts'],
    cached: ['CONTRIBUTING.md', 'docs/reference/dependencies.md', 'apps/webhook/openapi.json'],
  },
  {
    target: 'soak:test',
    again: [
      'SECURITY.md',
      'docs/explanation/reliability.md',
      'apps/webhook-e2e/src/wire.test.ts',
      'tools/soak/package.json',
    ],
    cached: ['tools/bench/package.json', 'tools/boundaries/boundaries.test.ts', 'CONTRIBUTING.md'],
  },
  {
    target: 'openapi:guide',
    again: [
      'docs/how-to/answer-a-question.md',
      'apps/webhook/package.json',
      'tools/workspace/gates.mjs',
      'OPEN_QUESTIONS.md',
    ],
    cached: ['tools/bench/src/run.ts', 'apps/webhook-e2e/src/wire.test.ts', 'CONTRIBUTING.md'],
  },
  {
    target: 'sdk:lint',
    again: [
      'eslint.config.mjs',
      'tools/boundaries/boundaries.mjs',
      'libs/contract/src/facts.ts',
      'libs/sdk/package.json',
    ],
    cached: ['tools/boundaries/boundaries.test.ts', 'libs/contract/src/index.test.ts', 'jest.shared.mjs'],
  },
])(
  '$target',
  ({ target, again, cached }) => {
    const { files } = askNx('show', 'target', 'inputs', target, '--json') as { files: string[] };
    expect(files).toEqual(expect.arrayContaining(again));
    expect(files.filter((file) => cached.includes(file))).toEqual([]);
  },
  60_000,
);

/** With a revision in NX_BASE, what takes long runs for the projects that a change affects. */
test.each([
  { file: 'apps/webhook/src/main.ts', project: 'openapi', isAffected: true },
  { file: 'apps/webhook-e2e/src/wire.test.ts', project: 'openapi', isAffected: true },
  { file: 'tools/workspace/gates.mjs', project: 'openapi', isAffected: true },
  { file: 'tools/bench/src/run.ts', project: 'openapi', isAffected: false },
  { file: 'apps/webhook/src/main.ts', project: 'soak', isAffected: true },
])('a change of $file affects $project: $isAffected', ({ file, project, isAffected }) => {
  const affected = askNx('show', 'projects', '--affected', `--files=${file}`, '--json') as string[];
  expect(affected.includes(project)).toBe(isAffected);
});
