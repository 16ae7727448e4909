import javascript from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';
import boundaries from './tools/boundaries/boundaries.mjs';

export default defineConfig(
  globalIgnores(['**/dist/', '**/out-tsc/', '**/test-output/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  javascript.configs.recommended,
  typescript.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      // `return reject(error)` leaves early in one line, and confuses nobody.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // A Nest module is an empty class.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Options that depend on an open question come to nothing once it is answered.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      // Under noUncheckedIndexedAccess it says that an index is in range.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Nest declares the shapes of its options as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // An async function without an await turns a throw into a rejection, which a port promises.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ['**/*.test.ts', '**/test/**'],
    // Jest's matchers are any, and stand wherever a value may.
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    // Plain JavaScript is checked by tsc where it is checked at all.
    files: ['**/*.{js,mjs}'],
    extends: [typescript.configs.disableTypeChecked],
    // TypeScript knows what is defined.
    rules: { 'no-undef': 'off' },
  },
  boundaries,
  prettier,
);
