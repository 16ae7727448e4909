import shared from '../jest.config.mjs';

/** What needs PostgreSQL runs apart from the tests that need nothing: `nx run soak:postgres`. */
export default {
  ...shared,
  rootDir: '..',
  testMatch: ['<rootDir>/postgres/*.postgres.ts'],
  testTimeout: 180_000,
};
