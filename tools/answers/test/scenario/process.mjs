/** A process with the module hooks of loader.mjs: `node process.mjs <program>`, the program relative to this folder. */
import { register } from 'node:module';

register('./loader.mjs', import.meta.url);
await import(new URL(process.argv[2], import.meta.url).href);
