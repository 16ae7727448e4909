import shared from '../../jest.shared.mjs';

/** What needs the npm registry runs apart from the tests that need nothing: `nx run package:package`. */
export default {
  ...shared,
  rootDir: '.',
  testMatch: ['<rootDir>/*.package.ts'],
  modulePathIgnorePatterns: ['<rootDir>/projects/', '<rootDir>/out-tsc/'],
  testTimeout: 180_000,
};
