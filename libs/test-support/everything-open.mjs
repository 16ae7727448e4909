/**
 * Preloaded with `node --import`: the contract then has no answers. For tests of what
 * is true whatever is answered. Where code takes the answers as a parameter, pass them instead.
 *
 * It empties the object before another module reads them, and so needs no hook of Node's loader.
 */
import { existsSync } from 'node:fs';

/** What tsc builds, and what `npm start` does. */
const BUILDS = ['dist', 'dist-dev/dist'];

for (const build of BUILDS) {
  const file = new URL(`../contract/${build}/answers.js`, import.meta.url);
  if (!existsSync(file)) continue;
  const { answers } = await import(file.href);
  for (const id of Object.keys(answers)) Reflect.deleteProperty(answers, id);
}
