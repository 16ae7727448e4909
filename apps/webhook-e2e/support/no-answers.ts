/** Replaces the contract's answers in these tests (jest.config.mjs). */
export const answers = {};
