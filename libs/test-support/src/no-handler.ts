import { fileURLToPath } from 'node:url';

/** The path of a handler that does nothing. Tests pass it to a receiver, and never run the team's. */
export const NO_HANDLER = fileURLToPath(new URL('../no-handler.mjs', import.meta.url));
