import shared from '../jest.config.mjs';

/** What needs nginx runs apart from the tests that need nothing: `nx run webhook-e2e:proxy`. */
export default {
  ...shared,
  rootDir: '..',
  testMatch: ['<rootDir>/proxy/*.proxy.ts'],
};
