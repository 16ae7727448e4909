import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isExecutable, openQuestions } from '@plant-store/contract';

import { cloneRepository, runInClone } from '../clone.js';

interface Step {
  readonly how: string;
  readonly question: string;
  readonly findings: readonly string[];
}

let clone: string;
let steps: readonly Step[];

beforeAll(() => {
  clone = cloneRepository();
  writeFileSync(
    join(clone, 'libs/contract/src/answers.ts'),
    `import type { Answers } from './answer-types.js';

/** The answers on the code's side. */
export const answers = {} as const satisfies Answers;
`,
  );
  rmSync(join(clone, 'libs/contract/spec/answers.overlay.yaml'), { force: true });
  // As docs/how-to/answer-a-question.md says of a schema.
  const manifest = join(clone, 'libs/contract/package.json');
  const { dependencies, ...others } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies: object };
  writeFileSync(manifest, JSON.stringify({ ...others, dependencies: { ...dependencies, zod: '4.6.7' } }));
  const { output, failed } = runInClone(
    clone,
    'npx prettier --write --log-level warn libs/contract/package.json; git commit --quiet --all --message Open; npx nx show projects > nx.log; rm nx.log; node --conditions @plant-store/source --import tsx tools/openapi/test/guide/every-answer.ts',
  );
  if (failed) throw new Error(output);
  steps = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Step);
}, 3_600_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

const ids = openQuestions.map(({ id }) => id).filter((id) => isExecutable(id) || id === 'event-order');

describe.each(['enter', 'replace', 'remove'])('%s', (how) => {
  test.each(ids)('%s: what is left compiles, is formatted, and passes lint and the gate', (id) => {
    expect(steps.filter((step) => step.how === how && step.question === id)).toEqual([
      { how, question: id, findings: [] },
    ]);
  });
});
