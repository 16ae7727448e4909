// `nx serve webhook`, `npm start`: compiles and runs the receiver for a developer, and again on each change.
import { readFileSync } from 'node:fs';

import { nodeVersionFault } from './node-version.mjs';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const fault = nodeVersionFault(process.versions.node, engines.node);
if (fault === undefined) {
  // Imported late: the rest need not load with an older Node.js.
  import('./development.mjs').then(({ develop }) => develop(process.env));
} else {
  console.error(fault);
  process.exitCode = 1;
}
