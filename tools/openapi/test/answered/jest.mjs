import shared from '../../../../jest.shared.mjs';

/** Sets of answers, entered into clones of the repository: `npx nx run openapi:answered`. */
export default {
  ...shared,
  rootDir: '../..',
  testMatch: ['**/*.answered.ts'],
  testTimeout: 3_600_000,
  verbose: true,
};
