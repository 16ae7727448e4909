/**
 * Who may import whom, and who may read the environment, as ESLint configuration. Each rule has a
 * fixture in boundaries.test.ts that must fail.
 */
import nx from '@nx/eslint-plugin';

/**
 * By project: the projects that it may import. A project that is not listed may import none, and
 * nothing lists an application: tools and end-to-end tests run what it builds.
 *
 * @type {Record<string, string[]>}
 */
export const mayImport = {
  contract: [],
  'example-answers': ['contract'],
  sdk: ['contract'],
  webhook: ['contract'],
  'webhook-e2e': ['contract', 'sdk'],
  openapi: ['contract'],
  answers: ['contract', 'example-answers', 'sdk'],
  bench: ['contract', 'sdk'],
  boundaries: [],
  workspace: [],
};

/** What tests may import beside that, whichever of these projects they belong to. */
const testsMayImport = {
  sdk: ['example-answers'],
  webhook: ['example-answers'],
  openapi: ['example-answers'],
};

/** The sources that read the environment; everything else is told what it needs. */
const environmentReaders = [
  'apps/webhook/src/main.ts',
  'apps/webhook/src/config.ts',
  'libs/sdk/src/cli/plant-store.ts',
  'apps/webhook/serve/serve.mjs',
  'tools/*/src/cli.ts',
  'tools/bench/src/receiver*.ts',
  'tools/workspace/nx.mjs',
];

/** Tests start processes, which need an environment. */
const tests = ['**/*.test.ts', '**/test/**', 'apps/webhook-e2e/**'];

const sources = '**/*.{ts,js,mjs}';
const environmentMessage =
  'Only main.ts, config.ts and the command lines read the environment (tools/boundaries). Take the value as a parameter.';

const importForms = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
];

export default [
  { files: [sources], plugins: { '@nx': nx }, rules: moduleBoundaries({}) },
  { files: tests, rules: moduleBoundaries(testsMayImport) },
  {
    // An answer may bring the schema library that a team prefers.
    files: ['libs/contract/src/**/*.ts'],
    ignores: [...tests, 'libs/contract/src/answers.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: `:matches(${importForms.join(', ')})[source.value=/^[^.]/], TSImportEqualsDeclaration`,
          message: 'The contract imports nothing but itself: no package, nothing of Node or Nest.',
        },
      ],
    },
  },
  {
    files: [sources],
    ignores: [...environmentReaders, ...tests],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: environmentMessage },
      ],
      'no-restricted-imports': [
        'error',
        ...['node:process', 'process'].map((name) => ({ name, message: environmentMessage })),
      ],
    },
  },
];

/**
 * @param {Record<string, string[]>} also by project, what it may import beside its row of `mayImport`
 * @returns {import('eslint').Linter.RulesRecord}
 */
function moduleBoundaries(also) {
  const depConstraints = Object.entries(mayImport).map(([project, imports]) => ({
    sourceTag: `project:${project}`,
    onlyDependOnLibsWithTags: [...imports, ...(also[project] ?? [])].map((name) => `project:${name}`),
  }));
  return {
    '@nx/enforce-module-boundaries': [
      'error',
      { allow: ['../../jest.shared.mjs'], banTransitiveDependencies: true, depConstraints },
    ],
  };
}
