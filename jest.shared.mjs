import { compilerOptions, templateOptions } from './swc.shared.mjs';

// Nx sets it for its tasks: commands under test would print colours, which they don't when a test is run alone.
delete process.env['FORCE_COLOR'];

/**
 * The Jest configuration of every project, which its jest.config.mjs re-exports: native ES modules, TypeScript through
 * swc, and workspace packages read from their sources.
 */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@plant-store/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.tsx', '$1.js'] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/dist-dev/', '<rootDir>/out-tsc/'],
  // `npx jest` in the folder of a project prints as Jest does.
  reporters: process.env['NX_TASK_TARGET_TARGET']
    ? ['<rootDir>/../../tools/workspace/reporter.mjs']
    : ['default'],
  testMatch: ['**/*.test.ts'],
  // Long enough for a busy machine, because no test asserts a time.
  testTimeout: 60_000,
  transform: {
    '^.+\\.ts$': ['@swc/jest', compilerOptions],
    '^.+\\.tsx$': ['@swc/jest', templateOptions],
  },
};
