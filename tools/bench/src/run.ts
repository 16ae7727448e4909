/** `node tools/bench/dist/run.js NAME`: runs a benchmark, and ends what it has started. */
import { cleanUp } from './servers.js';

const [name] = process.argv.slice(2);
const { default: run } = (await import(`./benchmarks/${name}.js`)) as { default: () => Promise<void> };
try {
  await run();
} finally {
  await cleanUp();
}
