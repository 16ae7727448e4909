import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openQuestions } from '@plant-store/contract';
import { lineToPaste } from '../../src/pages/questions.js';
import { FILES } from '../../src/repository.js';
import { ROOT } from '../clone.js';

/** Sets of answers that nobody gave, by name: how each question is answered, as source. */
const SETS = {
  'all-together': (id: string, examples: string) => lineToPaste(id, examples),
  'in-words': (id: string) => `'${id}': { inWords: '…', who: '…', on: '2026-01-31', why: '…' },`,
};

export type SetName = keyof typeof SETS;

export const setNames = Object.keys(SETS) as SetName[];

/** Enters a set of answers into a clone, as the lines of OPEN_QUESTIONS.md are pasted. Returns the files that it wrote. */
export function enterAnswers(clone: string, name: SetName): string[] {
  const examples = readFileSync(join(ROOT, FILES.examples), 'utf8');
  const lines = openQuestions.map(({ id }) => SETS[name](id, examples).replaceAll("'…'", "'An example.'"));
  const code = `import type { Answers } from './answer-types.js';

export const answers = {
${lines.join('\n')}
} as const satisfies Answers;
`;
  const files = { [FILES.answers]: code, ...(code.includes('z.') && withZod(clone)) };
  if (code.includes('z.')) files[FILES.answers] = `import { z } from 'zod';\n\n${code}`;
  for (const [file, text] of Object.entries(files)) writeFileSync(join(clone, file), text);
  return Object.keys(files);
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The manifest of the contract with Zod, as docs/how-to/answer-a-question.md says. */
function withZod(clone: string): Record<string, string> {
  const read = (file: string): Manifest => JSON.parse(readFileSync(join(clone, file), 'utf8')) as Manifest;
  const file = 'libs/contract/package.json';
  const manifest = read(file);
  const { zod } = read('libs/example-answers/package.json').dependencies;
  return { [file]: JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, zod } }) };
}
