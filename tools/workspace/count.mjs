/**
 * `node tools/workspace/count.mjs`: the last lines of `.ci/run`. Adds up what reporter.mjs wrote in the projects below
 * the working directory, names each failed test, and prints `N passed, N failed`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const total = { passed: 0, failed: 0 };
for (const group of ['apps', 'libs', 'tools']) {
  for (const project of readdirSync(group)) {
    const folder = join(group, project, 'test-output');
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    for (const file of files.filter((name) => name.endsWith('.json'))) {
      const { passed, failures } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      total.passed += passed;
      total.failed += failures.length;
      for (const name of failures) console.log(`failed: ${join(group, project)} ${file}: ${name}`);
    }
  }
}
console.log(`${total.passed} passed, ${total.failed} failed`);
