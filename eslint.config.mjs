import javascript from '@eslint/js';
import prettier from 'eslint-config-prettier';
import regexp from 'eslint-plugin-regexp';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';
import boundaries from './tools/boundaries/boundaries.mjs';

const HANDLER = 'apps/webhook/handler/**';

export default defineConfig(
  globalIgnores(['**/dist/', '**/dist-dev/', '**/out-tsc/', '**/test-output/', 'tools/package/projects/']),
  // Your team's code is only parsed, and held to the boundaries below.
  { files: [HANDLER], extends: [typescript.configs.base] },
  {
    ignores: [HANDLER],
    extends: [javascript.configs.recommended, typescript.configs.strictTypeChecked],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { regexp },
    rules: {
      eqeqeq: 'error',
      // A stranger's header field of 16 kB would take as long as a thousand requests.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { ignorePartial: false, report: 'potential' }],
      'regexp/optimal-quantifier-concatenation': 'error',
      // `return reject(error)` is a short way to leave early.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // A Nest module is an empty class.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // The options that depend on an open question become an empty type once it is answered.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      // With noUncheckedIndexedAccess, `!` states that an index is in range.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Nest declares the shapes of its options as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // An async function without await turns a throw into a rejection.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ['**/*.test.ts', '**/*.nightly.ts', '**/test/**'],
    // Jest's matchers have the type any.
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    // tsc checks the JavaScript of the projects that set checkJs.
    files: ['**/*.{js,mjs}'],
    extends: [typescript.configs.disableTypeChecked],
    // tsc reports undefined names.
    rules: { 'no-undef': 'off' },
  },
  boundaries,
  prettier,
);
