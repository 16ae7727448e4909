import shared from '../../jest.config.mjs';

/** What needs PostgreSQL runs apart from the tests that need nothing: `nx run webhook:postgres`. */
export default {
  ...shared,
  rootDir: '../..',
  // Servers and receivers start and end, which takes longer on a busy machine.
  testTimeout: 60_000,
  testMatch: ['<rootDir>/test/postgres/*.postgres.ts'],
};
