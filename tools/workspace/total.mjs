/** The last line of `.ci/run`: what the runs whose totals are named counted together. */
import { existsSync, readFileSync } from 'node:fs';
import { addTotals } from './report.mjs';

const files = process.argv.slice(2);
console.log(addTotals(files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined))));
