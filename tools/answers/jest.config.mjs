import shared from '../../jest.shared.mjs';

/** The tests start processes and build the workspace. Nx runs them while nothing else runs, so they may use every core. */
export default { ...shared, maxWorkers: '100%' };
