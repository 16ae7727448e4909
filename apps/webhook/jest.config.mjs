import shared from '../../jest.shared.mjs';

export default {
  ...shared,
  moduleNameMapper: {
    '^\\./start-thread\\.js$': '<rootDir>/test/start-thread.ts',
    ...shared.moduleNameMapper,
  },
};
