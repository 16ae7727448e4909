import shared from '../../../../jest.shared.mjs';

/** Every command of docs/how-to/answer-a-question.md, in a clone: `npx nx run openapi:guide`. */
export default { ...shared, rootDir: '../..', testMatch: ['**/*.guide.ts'] };
