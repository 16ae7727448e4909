import { effectRules, OPEN_AGAIN } from '../effects/effects.js';
import { code, table } from '../markdown.js';

const HEAD = `# Effects of answers

What an answer makes receivers and senders do, each with its id and level: **breaking**, a delivery or the code of a caller that worked may fail; **warning**, look at it; **info**, nothing that worked fails. It is the worst that the effect can have: where a change makes nothing fail, the effect is shown as info. Each has a test of its name. What they say of an example: [What an answer changes](answers.md).`;

/** docs/reference/effects.md: the effects that an answer can have, each with its level, by question. */
export function renderEffects(): string {
  const said = (rules: readonly { readonly id: string; readonly level: string }[]): string =>
    rules.map(({ id, level }) => `${code(id)} (${level})`).join(', ');
  const questions = [...new Set(effectRules.map(({ question }) => question))];
  const rows = questions.map((question) => [
    `[${code(question)}](answers.md#${question})`,
    said(effectRules.filter((rule) => rule.question === question)),
  ]);
  return [HEAD, table(['Question', 'Effects'], [...rows, ['any', said(OPEN_AGAIN)]])].join('\n\n');
}
