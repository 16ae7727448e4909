/** `npm run soak`: builds the receiver and the soak, then runs it. */
import { runNx } from './nx.mjs';

process.exitCode = runNx('run-many', '-t', 'build', '-p', 'soak', 'webhook');
if (!process.exitCode) await import(new URL('../soak/dist/main.js', import.meta.url).href);
