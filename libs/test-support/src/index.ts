export { afterThisFile, afterThisTest, type CleanUp, makeFolder } from './clean-up.js';
export { NO_HANDLER } from './no-handler.js';
export { freePort } from './free-port.js';
export { tableOf } from './table-of.js';
