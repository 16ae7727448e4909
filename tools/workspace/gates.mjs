/**
 * The gates, in the order in which they run. A gate is a row: its name, the command that decides, and the
 * command that mends what it finds, where there is one.
 *
 * @type {Array<{ name: string, command: string, mend?: string }>}
 */
export const gates = [
  { name: 'sync', command: 'npx nx sync:check', mend: 'npx nx sync' },
  { name: 'types', command: 'npx nx run-many -t typecheck' },
  { name: 'lint', command: 'npx nx run-many -t lint', mend: 'npx nx run-many -t lint --fix' },
  { name: 'format', command: 'npx prettier --check .', mend: 'npm run format' },
  { name: 'openapi', command: 'npx nx run webhook:openapi --check', mend: 'npx nx run webhook:openapi' },
  { name: 'openapi-diff', command: 'npx nx run webhook:openapi-diff' },
  { name: 'openapi-lint', command: 'npx nx run webhook:openapi-lint' },
  {
    name: 'open-questions',
    command: 'npx nx run openapi:open-questions-check',
    mend: 'npx nx run openapi:open-questions',
  },
  {
    name: 'contract-diff',
    command: 'npx nx run openapi:contract-diff-check',
    mend: 'npx nx run openapi:contract-diff',
  },
  { name: 'api', command: 'npx nx run openapi:api-check', mend: 'npx nx run openapi:api' },
  { name: 'answers', command: 'npx nx run answers:page-check', mend: 'npx nx run answers:page' },
  { name: 'links', command: 'node tools/workspace/gates/links.mjs' },
  { name: 'dependencies', command: 'node tools/workspace/gates/dependencies.mjs' },
  { name: 'lock-file', command: 'node tools/workspace/gates/lock-file.mjs' },
];
