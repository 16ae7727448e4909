/** The process that observes scenarios: `node process.mjs`, steps as JSON on standard input. */
import { register } from 'node:module';

register('./loader.mjs', import.meta.url);
await import('./observe.ts');
