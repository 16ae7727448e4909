export { afterThisFile, afterThisTest, type CleanUp, makeFolder } from './clean-up.js';
export { tableOf } from './table-of.js';
