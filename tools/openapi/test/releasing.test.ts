import { readFileSync } from 'node:fs';
import { plainAnswers, type QuestionId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { differenceOf } from '../src/effects/effects.js';

const page = readFileSync(new URL('../../../docs/how-to/release.md', import.meta.url), 'utf8');
const PLAIN = plainAnswers(exampleAnswers);
const rows = Array.from(
  page.matchAll(/^\| `([\w-]+)` +\|[^|]*\| (major|minor|patch) +\|$/gm),
  ([, id, step]) => ({ id: id as QuestionId, step }),
);

test('docs/how-to/release.md has answers of each step', () => {
  expect(new Set(rows.map(({ step }) => step))).toEqual(new Set(['major', 'minor', 'patch']));
});

test.each(rows)('docs/how-to/release.md: the answer to $id causes a $step step', ({ id, step }) => {
  expect(differenceOf({}, { [id]: PLAIN[id] })[0]?.step).toBe(step);
});
