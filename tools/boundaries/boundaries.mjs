/**
 * ESLint configuration: which project may import which, what a receiver may not load, how published packages tell
 * classes, and which files may read the environment. Each rule has a fixture in boundaries.test.ts that must fail.
 */
import nx from '@nx/eslint-plugin';

/**
 * What a project with a tag may import. Each project has a `type:` and a `scope:`, and both rows apply. No row names
 * `type:app`: nobody imports an application, tools and end-to-end tests run what it builds.
 *
 * @type {Record<string, string[]>}
 */
const mayImport = {
  'type:app': ['type:lib'],
  'type:lib': ['type:lib'],
  'type:test-lib': ['scope:contract'],
  'type:e2e': ['type:lib', 'type:test-lib'],
  'type:tool': ['type:lib', 'type:test-lib'],
  'scope:contract': [],
  'scope:sender': ['scope:contract'],
  'scope:shared': [],
  'scope:command': ['scope:contract', 'scope:sender', 'scope:shared'],
  'scope:handler': [],
  'scope:receiver': ['scope:contract', 'scope:handler', 'scope:shared'],
  'scope:workspace': ['scope:contract', 'scope:sender', 'scope:workspace'],
};

/**
 * What the tests of a project with a tag may import, too.
 *
 * @type {Record<string, string[]>}
 */
const testsMayImport = {
  'type:app': ['type:test-lib'],
  'type:lib': ['type:test-lib'],
  'scope:sender': ['scope:workspace'],
  'scope:command': ['scope:workspace'],
  'scope:receiver': ['scope:workspace'],
};

/** The sources that may read the environment. Everything else takes values as parameters. */
const environmentReaders = [
  'apps/webhook/src/main.ts',
  // The variables of psql, which `pg` reads as well.
  'apps/webhook/src/config/postgres-url.ts',
  'apps/webhook/serve/serve.mjs',
  'deploy/start-once.mjs',
  'apps/webhook/handler/**',
  'libs/cli/src/plant-store.ts',
  'tools/soak/handler.mjs',
  'tools/workspace/reporter.mjs',
];

/** Tests may read it too: they start processes. */
const tests = [
  '**/*.test.ts',
  '**/*.nightly.ts',
  '**/test/**',
  'apps/webhook-e2e/**',
  'libs/test-support/**',
  'tools/package/**',
];

const sources = '**/*.{ts,tsx,js,mjs}';
const environmentMessage =
  'Only the entry points that tools/boundaries lists read the environment. Take the value as a parameter.';

const importForms = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
];

/** @type {[refused: string, message: string]} */
const teamsHandler = [
  '(\\.\\.\\/)+handler\\/',
  'No source of the receiver imports your handler: HANDLER names it. Only run.ts knows where yours is.',
];

/** @type {[refused: string, message: string]} */
const kindsOfAnswers = [
  '@plant-store\\/contract\\/check$',
  'The published answers were checked. This would load the schemas of every kind of answer.',
];

/** A program may have two copies of a published package, and so of its classes. Errors are told by their data. */
const instanceofOurs = {
  selector: `BinaryExpression[operator='instanceof']:not([right.name=/^(${[
    ...['Date', 'Error', 'Promise', 'Uint8Array', 'URL'],
    // The command is a program: nobody imports these of another copy.
    ...['BadInput', 'CommandFailed', 'CommanderError'],
  ].join('|')})$/])`,
  message: 'Another copy of the package has another class. Use a function such as isPlantStoreError.',
};

export default [
  { files: [sources], plugins: { '@nx': nx }, rules: moduleBoundaries({}) },
  { files: tests, rules: moduleBoundaries(testsMayImport) },
  {
    files: ['apps/webhook/handler/**'],
    rules: refuseImports([
      '\\.\\.\\/.*(src|dist)\\/',
      'Your handler imports @plant-store/handler, and nothing of the receiver. All else may change.',
    ]),
  },
  {
    // answers.ts may import the schema library that a team prefers.
    files: ['libs/contract/src/**/*.ts'],
    ignores: [...tests, 'libs/contract/src/answers.ts'],
    rules: refuse(
      instanceofOurs,
      importForm([
        '(?!valibot$)[^.]',
        'The contract imports only its own files and Valibot: no module of Node or Nest.',
      ]),
    ),
  },
  {
    files: ['libs/{sdk,cli}/src/**/*.ts'],
    ignores: tests,
    rules: refuse(instanceofOurs, importForm(kindsOfAnswers)),
  },
  { files: ['apps/webhook/src/**/*.ts'], rules: refuseImports(teamsHandler) },
  {
    files: ['apps/webhook/src/openapi/**/*.ts'],
    ignores: tests,
    rules: refuseImports(teamsHandler),
  },
  {
    files: ['apps/webhook/src/**/*.ts'],
    ignores: [...tests, 'apps/webhook/src/openapi/**/*.ts'],
    rules: refuseImports(teamsHandler, [
      '(@nestjs\\/swagger|\\..*\\/openapi\\/)',
      'Only openapi/ imports @nestjs/swagger, and nothing imports openapi/: a receiver would load it.',
    ]),
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
 * @param {Record<string, string[]>} also what is allowed in addition to `mayImport`
 * @returns {import('eslint').Linter.RulesRecord}
 */
function moduleBoundaries(also) {
  const depConstraints = Object.entries(mayImport).map(([sourceTag, tags]) => ({
    sourceTag,
    onlyDependOnLibsWithTags: [...tags, ...(also[sourceTag] ?? [])],
  }));
  return {
    '@nx/enforce-module-boundaries': [
      'error',
      {
        allow: ['../../jest.shared.mjs', '../../../swc.shared.mjs'],
        banTransitiveDependencies: true,
        depConstraints,
      },
    ],
  };
}

/**
 * @param {[refused: string, message: string][]} imports how a source begins that may not be imported: a regular expression
 * @returns {import('eslint').Linter.RulesRecord}
 */
function refuseImports(...imports) {
  return refuse(...imports.map(importForm));
}

/**
 * @param {[refused: string, message: string]} imports
 * @returns {{ selector: string, message: string }}
 */
function importForm([refused, message]) {
  const selector = `:matches(${importForms.join(', ')})[source.value=/^${refused}/], TSImportEqualsDeclaration`;
  return { selector, message };
}

/**
 * @param {{ selector: string, message: string }[]} forms what may not be written
 * @returns {import('eslint').Linter.RulesRecord}
 */
function refuse(...forms) {
  return { 'no-restricted-syntax': ['error', ...forms] };
}
