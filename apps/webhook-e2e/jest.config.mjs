import shared from '../../jest.shared.mjs';

export default {
  ...shared,
  // These tests mostly wait for the processes that they start, so one worker would leave a processor idle.
  maxWorkers: '100%',
  // The sender has no answers, like the receivers (libs/test-support/everything-open.mjs).
  moduleNameMapper: { '^\\./answers\\.js$': '<rootDir>/support/no-answers.ts', ...shared.moduleNameMapper },
};
