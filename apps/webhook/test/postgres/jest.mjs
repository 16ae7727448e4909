import shared from '../../jest.config.mjs';

/** What needs PostgreSQL runs apart from the tests that need nothing: `nx run webhook:postgres`. */
export default {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/postgres/*.postgres.ts'],
};
