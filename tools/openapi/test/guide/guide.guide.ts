import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answers } from '@plant-store/contract';
import { freePort } from '@plant-store/test-support';
import { commitAll } from '@plant-store/test-support/clone';

import { cloneRepository, ROOT, runInClone } from '../clone.js';
import { readGuide } from './read-guide.js';

const guide = readGuide(readFileSync(join(ROOT, 'docs/how-to/answer-a-question.md'), 'utf8'));

let clone: string;
let port: number;

beforeAll(async () => {
  clone = cloneRepository();
  // The page begins with every question open, whatever is answered by now.
  if (Object.keys(answers).length > 0) openEveryQuestion();
  port = await freePort();
}, 300_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

test('begins with what a fresh clone needs', () => {
  expect(guide.map(({ isSetup }) => isSetup)).toEqual([true, ...guide.slice(1).map(() => false)]);
});

test.each(guide.slice(1).map((block) => [block.commands.split('\n')[0], block] as const))(
  '%s',
  (_first, { commands, fails, shows }) => {
    const { failed, output } = run(commands.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`));
    expect({ fails: failed, output }).toEqual({ fails, output });
    // Columns are as wide as the longest file name.
    const said = output.replace(/ +/g, ' ');
    for (const line of shows) expect(said).toContain(line.replace(/ +/g, ' '));
  },
  600_000,
);

function run(commands: string): { readonly failed: boolean; readonly output: string } {
  return runInClone(clone, commands, { PORT: String(port), OPERATIONS_PORT: '0' });
}

/** Takes the answers out of the clone. */
function openEveryQuestion(): void {
  writeFileSync(
    join(clone, 'libs/contract/src/answers.ts'),
    `import type { Answers } from './answer-types.js';

export const answers = {} as const satisfies Answers;
`,
  );
  const { failed, output } = run('npm run generate');
  if (failed) throw new Error(output);
  commitAll(clone);
}
