/** `npm test`: runs the tests of every project, or of those that the arguments select as in `npm test -- -p sdk`. */
import { runTests } from './run-tests.mjs';

process.exitCode = runTests({
  target: 'test',
  report: 'results.json',
  total: 'total.txt',
  args: process.argv.slice(2),
});
