import shared from '../../../../jest.shared.mjs';

/** Every pair of old and new senders and receivers: `npx nx run openapi:rollout`. */
export default { ...shared, rootDir: '../..', testMatch: ['**/*.rollout.ts'] };
