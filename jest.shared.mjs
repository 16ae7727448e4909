import { compilerOptions } from './tools/workspace/from-source/swc.mjs';

/**
 * The Jest configuration of every project, which its jest.config.mjs re-exports: native ES modules, TypeScript through
 * swc, and workspace packages read from their sources.
 */
export default {
  globalSetup: `${import.meta.dirname}/tools/workspace/make-report-folder.mjs`,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@plant-store/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/out-tsc/'],
  testMatch: ['**/*.test.ts'],
  // Long enough for a busy machine, because no test asserts a time.
  testTimeout: 60_000,
  transform: {
    '^.+\\.ts$': ['@swc/jest', compilerOptions],
  },
};
