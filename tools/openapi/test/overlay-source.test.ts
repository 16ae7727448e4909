import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openQuestions } from '@plant-store/contract';
import { makeFolder } from '@plant-store/test-support';
import { enterInSource } from '../src/answers/answers-source.js';
import { formatCode } from '../src/answers/format.js';
import { enterInOverlay, removeFromOverlay } from '../src/answers/overlay-source.js';

const ids = openQuestions.map(({ id }) => id);
const NO_ANSWERS = 'export const answers = {} as const satisfies Answers;\n';

/** Both sides, with one more answer. */
async function entered([code, overlay]: readonly string[], question: string, value: unknown) {
  const signed = { question, value, actions: [], answeredBy: 'A', date: '2026-01-31', reason: 'Minutes' };
  return [
    await formatCode(enterInSource(code ?? NO_ANSWERS, question, value, ids)),
    await enterInOverlay(overlay, signed, ids),
  ];
}

test('the overlay goes with its last answer', async () => {
  const [, overlay = ''] = await entered([], 'http-method', 'PUT');
  expect(await removeFromOverlay(overlay, 'http-method')).toBeUndefined();
});

test('two branches conflict in one place of each file', async () => {
  const base = await entered([], 'http-method', 'PUT');
  const one = await entered(base, 'authentication-realm', 'plants');
  const other = await entered(base, 'size-limits', 1_000);
  for (const side of [0, 1]) {
    const folder = makeFolder();
    for (const [name, texts] of Object.entries({ one, base, other }))
      writeFileSync(join(folder, name), texts[side]!);
    const args = ['merge-file', '-p', 'one', 'base', 'other'];
    const { stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    expect(stdout.match(/^<{7} /gm)).toHaveLength(1);
  }
});
