export { afterThisFile, afterThisTest, type CleanUp, makeFolder } from './clean-up.js';
export { freePort } from './free-port.js';
export { tableOf } from './table-of.js';
