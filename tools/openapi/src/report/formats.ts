import { statedIn } from '../facts/fact.js';
import { type Detail, type Entry, formatGithub, formatText } from '../format/entry.js';
import { code, codeBlock, escape, table } from '../format/markdown.js';
import { positionOf, statementOf } from '../format/position.js';
import { isClean } from '../gate/gate.js';
import { tally, tallyLine } from '../gate/tally.js';
import type { Action } from '../overlay/read-overlay.js';
import { adviceOnAnswer, adviceOnFinding, type Presentation } from './advice.js';
import { entryOfAnswer, entryOfFinding, factsAddedBy, nameOf, sidesOf } from './entries.js';

type Format = (presentation: Presentation) => Promise<string>;

/** For a terminal. */
const text: Format = async (presentation) =>
  formatText(await entriesOf(presentation), tallyLine(tally(presentation.report)));

/** For programs: `{ counts, findings, answers }`; values are JSON text, so that no digit of a number is lost. */
const json: Format = async (presentation) => {
  const { report, producerOf } = presentation;
  const findings = report.findings.map((finding) => {
    const { state, reason, pointer, alsoAt, count, baseline, document, action } = finding;
    return {
      state,
      reason,
      pointer,
      name: nameOf(finding),
      alsoAt,
      count,
      specification: baseline && { ...statementOf(baseline), section: statedIn(baseline) },
      document: document && statementOf(document),
      producer: producerOf(pointer),
      answer: action && { question: action.question, ...provenance(action) },
      advice: adviceOnFinding(finding, presentation).map((one) => one.text),
    };
  });
  const answers = report.answers.map(async (compared) => ({
    state: compared.state,
    question: compared.question,
    ...sidesOf(compared),
    provenance: compared.action && provenance(compared.action),
    facts: factsAddedBy(compared, report.findings).places,
    factCount: factsAddedBy(compared, report.findings).count,
    problems: report.problems
      ?.get(compared.question)
      ?.map(({ state, reason, pointer }) => ({ state, reason, pointer })),
    advice: await adviceOnAnswer(compared, presentation),
  }));
  const all = { counts: tally(report), findings, answers: await Promise.all(answers) };
  return `${JSON.stringify(all, null, 2)}\n`;
};

/** For a pull request: the counts, a table, and lines to paste below it. */
const markdown: Format = async (presentation) => {
  const entries = await entriesOf(presentation);
  const rows = entries.map(({ title, pointer, details, advice }) => [
    [escape(title), ...(pointer === '' ? [] : [code(pointer)])].join('<br>'),
    details.map(markdownOf).join('<br>'),
    advice.map((one) => escape(one.text)).join('<br>'),
  ]);
  const pasted = entries.flatMap(({ title, advice }) =>
    advice.flatMap((one) =>
      one.lines === undefined ? [] : [`${escape(title)}. ${escape(one.text)}\n\n${codeBlock(one.lines)}`],
    ),
  );
  const parts = [
    `**${tallyLine(tally(presentation.report))}**`,
    ...(rows.length === 0 ? [] : [table(['Finding', 'Details', 'What to do'], rows)]),
    ...pasted,
  ];
  return `${parts.join('\n\n')}\n`;
};

/** For a job of GitHub Actions: at the line of the overlay or of the code. Empty if there is nothing to report. */
const github: Format = async (presentation) => {
  const { report } = presentation;
  const entries = await entriesOf(presentation);
  const level = isClean(report) ? 'notice' : 'error';
  return entries.length === 0 ? '' : formatGithub(entries, level, tallyLine(tally(report)));
};

/** How the gate's report can be written. */
export const FORMATS = { text, json, markdown, github };

/** Answers first, because facts may follow from them. If the gate fails, only what fails is listed. */
async function entriesOf(presentation: Presentation): Promise<Entry[]> {
  const { report } = presentation;
  const isListed = isClean(report) ? () => true : ({ state }: { state: string }) => state !== 'answered';
  const answers = report.answers.filter(({ state }) => state !== 'depends').filter(isListed);
  return [
    ...(await Promise.all(answers.map((compared) => entryOfAnswer(compared, presentation)))),
    ...report.findings.filter(isListed).map((finding) => entryOfFinding(finding, presentation)),
  ];
}

function markdownOf({ label, value, words = '' }: Detail): string {
  const lines = words.split('\n').map(escape).join('<br>');
  return `${label}: ${value === undefined ? '' : `${code(value)} `}${lines}`;
}

function provenance({ answeredBy, date, reason, place }: Action) {
  return { answeredBy, date, reason, ...positionOf(place) };
}
