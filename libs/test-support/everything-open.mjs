/**
 * Preloaded with `node --import`: the contract then has no answers, and accepts nothing beside them. For tests of what
 * is true whatever is answered. Where code takes the answers as a parameter, pass them instead.
 *
 * It empties the objects before another module reads them, and so needs no hook of Node's loader.
 */
import { existsSync } from 'node:fs';

/** What tsc builds, and what `npm start` does. */
const BUILDS = ['dist', 'dist-dev/dist'];

for (const build of BUILDS) {
  for (const [name, module] of [
    ['answers', 'answers'],
    ['stillAccepted', 'still-accepted'],
  ]) {
    const file = new URL(`../contract/${build}/${module}.js`, import.meta.url);
    if (!existsSync(file)) continue;
    const { [name]: stated } = await import(file.href);
    for (const key of Object.keys(stated)) Reflect.deleteProperty(stated, key);
  }
}
