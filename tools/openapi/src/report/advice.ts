import { stringify } from 'yaml';
import { ANSWERS_SOURCE, SCHEMA_QUESTIONS } from '../gate/code-answers.js';
import { type Implied, questionOf } from '../gate/implied.js';
import { answerActions } from '../answers/overlay-source.js';
import { formatCode } from '../answers/format.js';
import { type ComparedAnswer, type Finding, type GateReport, passes } from '../gate/gate.js';
import { formatPlace, plain, textOf } from '../gate/read.js';
import { GENERATE_DOCUMENT } from '../repository.js';

/** A report, and what its reader needs to act on it. */
export interface Presentation {
  readonly report: GateReport;
  /** What the answers of the code add to the document, by question, if that is known. */
  readonly implied?: ReadonlyMap<string, Implied> | undefined;
  /** The file that answers go to. */
  readonly overlay: string;
}

/** What to do, as a sentence, and lines that can be pasted as they are. */
export interface Advice {
  readonly text: string;
  readonly lines?: string;
}

/** Where the code states what is at a pointer: the values of facts, and the decorators or the builder. */
const codeAt = (pointer: string): string => {
  const file = pointer.startsWith('/webhooks')
    ? 'openapi/new-plant.decorators.ts'
    : 'openapi/create-document.ts';
  return `libs/contract/src/facts.ts or apps/webhook/src/${file}`;
};
const AGAIN = `run: ${GENERATE_DOCUMENT}`;

/** What to do about a finding; nothing for a fact that is answered. */
export function adviceOnFinding(finding: Finding, presentation: Presentation): Advice[] {
  const { overlay } = presentation;
  const { state, reason, stated, action, pointer } = finding;
  const code = codeAt(pointer);
  const question = questionOf(finding, presentation.implied);
  const rewrite =
    question === undefined
      ? []
      : [`Or let it write the actions again: npm run answer -- --question ${question}`];
  const baseline = stated === undefined ? 'it' : formatPlace(stated.place);
  const at = action === undefined ? overlay : formatPlace(action.place);
  const sentences = {
    answered: [],
    missing: [
      `The document must show it. Add it in ${code}, then ${AGAIN}`,
      `If the specification no longer states it, remove ${baseline} from the baseline.`,
    ],
    contradicted: [
      `The document must show ${stated?.text ?? ''}. Change it in ${code}, then ${AGAIN}`,
      `If the specification changed, change ${baseline} and the section beside it.`,
    ],
    invented:
      question === undefined
        ? [
            `Nothing states it. Remove it from ${code}, then ${AGAIN}`,
            `If it was answered, enter the answer: npm run answer`,
          ]
        : [`The answer to ${question} adds it, and no action of ${overlay} states it.`, ...rewrite],
    'stale answer': [
      {
        'not shown': `The document doesn't show the answer. Add it in ${code}, then ${AGAIN}`,
        'shown differently': `The document shows another value. Correct ${code}, then ${AGAIN}`,
        'no target': `Neither the baseline nor an action before it has the target of ${at}.`,
        'would overwrite': `An action can only add. Correct ${at}: the specification, or another answer, states what is there.`,
        'adds nothing': `The action at ${at} adds nothing. Remove it, or its empty \`update\`.`,
      }[reason ?? 'not shown'],
      `If the answer no longer holds, remove it: npm run answer -- --question ${action?.question ?? ''} --remove`,
      ...rewrite,
    ],
  };
  return sentences[state].map((text) => ({ text }));
}

/** Whether a finding only follows from an answer that the two sides don't share. It is reported with that answer. */
export function isExplained(finding: Finding, presentation: Presentation): boolean {
  const question = questionOf(finding, presentation.implied);
  const answer = presentation.report.answers.find((one) => one.question === question);
  return answer !== undefined && !passes(answer);
}

/** What to do about both sides of a question. */
export async function adviceOnAnswer(
  compared: ComparedAnswer,
  presentation: Presentation,
): Promise<Advice[]> {
  const { state, question, action, entered } = compared;
  const { overlay } = presentation;
  const enter = `npm run answer -- --question ${question} --who "…" --reason "…"`;
  const at = action === undefined ? overlay : formatPlace(action.place);
  switch (state) {
    case 'answered':
      return [];
    case 'not carried out':
      return [
        { text: 'The software does not carry this out. It does what it does while the question is open.' },
      ];
    case 'unknown question':
      return [{ text: `Correct \`x-question\` at ${at}. OPEN_QUESTIONS.md lists them all.` }];
    case 'answer without value':
      return [{ text: `Add the answer itself to the action at ${at}: x-answer` }];
    case 'missing answer':
      return action === undefined
        ? [
            { text: `Sign it: ${enter}` },
            {
              text: `Or add to ${overlay}, with who answered, when and why:`,
              lines: actionLines(compared, presentation),
            },
          ]
        : [
            { text: `Add it to ${ANSWERS_SOURCE}:`, lines: await codeLines(compared) },
            { text: `Or remove it: npm run answer -- --question ${question} --remove` },
          ];
    case 'contradicting answers':
      return [
        { text: `The two values must be equal. If the code is right, sign it: ${enter} --replace` },
        {
          text: `If the overlay is right, change ${entered === undefined ? 'the code' : formatPlace(entered)} to:`,
          lines: await codeLines(compared),
        },
      ];
  }
}

/** A person fills in what stands in angle brackets. */
const UNKNOWN = {
  answeredBy: '<who answered>',
  date: '<when, as 2026-01-31>',
  reason: '<why, or where to read it>',
};

/** The actions of the overlay with the code's answer. */
function actionLines({ question, entered }: ComparedAnswer, { implied }: Presentation): string {
  const value = entered === undefined ? null : plain(entered.value);
  const actions = answerActions({
    question,
    value,
    actions: implied?.get(question)?.actions ?? [],
    ...UNKNOWN,
  });
  const layout = { singleQuote: true, lineWidth: 0, aliasDuplicateObjects: false };
  return stringify(actions, layout)
    .trimEnd()
    .replace(/^(?=.)/gm, '  ');
}

/** The lines of answers.ts that have the overlay's answer. A schema is code: only its JSON Schema is known. */
async function codeLines({ question, action }: ComparedAnswer): Promise<string> {
  const value = action?.answer;
  if (value === undefined) return '';
  if (SCHEMA_QUESTIONS.includes(question))
    return `  '${question}': <a Standard Schema, such as one of Zod, with the JSON Schema ${textOf(value)}>,`;
  const source = await formatCode(
    `answers = {\n${JSON.stringify({ [question]: plain(value) }).slice(1, -1)}}`,
  );
  return source.trimEnd().split('\n').slice(1, -1).join('\n');
}
