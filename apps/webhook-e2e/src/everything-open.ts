import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BUILT_ANSWERS = fileURLToPath(new URL('../../../libs/contract/dist/answers.js', import.meta.url));
const OPENER = fileURLToPath(new URL('../everything-open.mjs', import.meta.url));

const isOpen = /^export const answers = \{\};$/m.test(readFileSync(BUILT_ANSWERS, 'utf8'));

/** Variables with which a Node process has no answers; none while nothing is answered. */
export const everythingOpen: Readonly<Record<string, string>> = isOpen
  ? {}
  : { NODE_OPTIONS: `--import=${OPENER}` };
