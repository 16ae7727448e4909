import { effectRules, OPEN_AGAIN } from '../effects/effects.js';
import { code, table } from '../markdown.js';

const HEAD = `# Effects of answers

What an answer makes receivers and senders do, each with its id and level: **breaking**, a delivery or the code of a caller that worked may fail; **warning**, look at it; **info**, nothing that worked fails. The level is the highest: if a change makes nothing fail, the effect is info. A test of its name brings each about. What they say of an example: [What an answer changes](answers.md).`;

/** docs/reference/effects.md: each effect that an answer can have, with its level. */
export function renderEffects(): string {
  const rows = [
    ...effectRules.map(({ id, level, question }) => [
      code(id),
      level,
      `[${code(question)}](answers.md#${question})`,
    ]),
    ...OPEN_AGAIN.map(({ id, level }) => [code(id), level, 'any']),
  ];
  return [HEAD, table(['Effect', 'Level', 'Question'], rows)].join('\n\n');
}
