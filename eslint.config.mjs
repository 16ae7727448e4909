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
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A Nest module is an empty class.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
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
    files: ['**/*.test.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
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
