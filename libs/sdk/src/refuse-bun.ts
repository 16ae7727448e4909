/// <reference types="node" preserve="true" />
/** Every entry point imports this first. */
if (process.versions['bun'] !== undefined) {
  throw new Error('@plant-store/sdk needs Node.js: in Bun, undici reports errors that nobody can catch.');
}
