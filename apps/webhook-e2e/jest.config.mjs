import shared from '../../jest.shared.mjs';

/** Receivers start, are killed and come back, which takes longer where the machine is busy. */
export default { ...shared, testTimeout: 60_000 };
