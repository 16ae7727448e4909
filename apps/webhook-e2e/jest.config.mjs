import shared from '../../jest.shared.mjs';

export default {
  ...shared,
  // Nothing runs beside these tests (`parallelism` in package.json), so every processor is theirs.
  maxWorkers: '100%',
  // The sender has no answers, like the receivers (libs/test-support/everything-open.mjs).
  moduleNameMapper: { '^\\./answers\\.js$': '<rootDir>/support/no-answers.ts', ...shared.moduleNameMapper },
};
