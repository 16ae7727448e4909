/**
 * Configuration of dependency-cruiser: imports between the folders of a project form no cycle, and neither do imports
 * between files. A type import counts. Tests, suites and test support may import whatever they test, so they are left
 * out, and your team's handler is its own. Files directly in `src` are in no layer: a cycle of folders that passes through such a file isn't found.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    {
      name: 'no-folder-cycle',
      comment: 'Move what both folders use into the lower one.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-file-cycle',
      comment: 'Move what both files use into one of them, or into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    exclude: {
      path: [
        '(^|/)(node_modules|dist|dist-dev|out-tsc|test-output|test)/',
        '[.](test|suite)[.]ts$',
        '^apps/webhook/handler/',
      ],
    },
    // Before the compiler drops what is imported for its type only.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['@plant-store/source', 'import'] },
  },
};
