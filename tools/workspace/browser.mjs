/** `npm run browser`: looks at the pages in Chromium. Apart from `npm test`, which needs nothing but Node.js. */
import { runTests } from './run-tests.mjs';

process.exitCode = runTests({
  target: 'browser',
  report: 'browser.json',
  total: 'browser.txt',
  args: process.argv.slice(2),
});
