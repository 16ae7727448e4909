/**
 * `node tools/workspace/count.mjs`: the last lines of `.ci/run`. Adds up what reporter.mjs wrote in the projects below
 * the working directory, says of each failed test why it failed, and prints `N passed, N failed`. Whoever reads only the
 * end of the output, as many pages of CI show it, needs no more.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How much of a message is printed: a message may have all that a process has printed. */
const SHOWN_LINES = 40;

const total = { passed: 0, failed: 0 };
for (const group of ['apps', 'libs', 'tools']) {
  for (const project of readdirSync(group)) {
    const folder = join(group, project, 'test-output');
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    for (const file of files.filter((name) => name.endsWith('.json'))) {
      const { passed, failures } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      total.passed += passed;
      total.failed += failures.length;
      for (const { name, message } of failures) {
        console.log(`failed: ${join(group, project)} ${file}: ${name}`);
        for (const line of message.split('\n').slice(0, SHOWN_LINES)) console.log(`    ${line}`);
      }
    }
  }
}
console.log(`${total.passed} passed, ${total.failed} failed`);
