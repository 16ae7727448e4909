import shared from '../../../../jest.shared.mjs';

/** What needs a browser runs apart from the tests that need nothing: `nx run openapi:browser`. */
export default {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/*.browser.ts'],
};
