import shared from '../jest.config.mjs';

/** What needs a browser runs apart from the tests that need nothing: `nx run webhook-e2e:browser`. */
export default {
  ...shared,
  rootDir: '..',
  testMatch: ['<rootDir>/browser/*.browser.ts'],
};
