import shared from '../../jest.shared.mjs';

/** Processes and an npm installation take longer where the machine is busy. */
export default { ...shared, testTimeout: 60_000 };
