/** Apart from the rest, because it needs the types of a browser. */
export { CHROMIUM_ARGUMENTS, findChromium } from './find-chromium.js';
export { findOverflow } from './find-overflow.js';
