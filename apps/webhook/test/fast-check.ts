import fc from 'fast-check';

// The result of a test that Nx keeps must not depend on chance.
fc.configureGlobal({ seed: 1 });

export default fc;
