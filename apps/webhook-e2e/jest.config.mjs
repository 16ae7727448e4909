import shared from '../../jest.shared.mjs';

export default {
  ...shared,
  // Receivers start, are killed and come back, which takes longer where the machine is busy.
  testTimeout: 60_000,
  // The sender is the one of a world in which everything is open, as the receivers are (everything-open.mjs).
  moduleNameMapper: { '^\\./answers\\.js$': '<rootDir>/src/no-answers.ts', ...shared.moduleNameMapper },
};
