import shared from '../../jest.shared.mjs';

/** Each observation starts processes, and each command of the guide builds something. */
export default { ...shared, testTimeout: 60_000 };
