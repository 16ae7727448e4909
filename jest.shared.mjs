import { mkdirSync } from 'node:fs';
import { compilerOptions } from './swc.shared.mjs';

// A fresh clone doesn't have the folder of the reports, and Jest doesn't make it.
mkdirSync('test-output', { recursive: true });

/**
 * The Jest configuration of every project, which its jest.config.mjs re-exports: native ES modules, TypeScript through
 * swc, and workspace packages read from their sources.
 */
export default {
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
