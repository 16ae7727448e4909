import { stringify } from 'yaml';
import { type ComparedAnswer, valueText } from '../answers/compare.js';
import { actionFields, type Provenance } from '../answers/overlay-actions.js';
import type { Advice } from '../format/entry.js';
import { prettify } from '../format/markdown.js';
import { formatPosition, type ProducerOf } from '../format/position.js';
import type { Finding, StaleReason } from '../gate/finding.js';
import type { GateReport } from '../gate/gate.js';
import type { Action } from '../overlay/read-overlay.js';
import { formatPlace, type Place, type SourceNode, stringAt, toPlain } from '../read/source-node.js';

/** A report, and what its reader needs to act on it. */
export interface Presentation {
  readonly report: GateReport;
  /** The file that answers go to. */
  readonly overlay: string | undefined;
  /** Whether that file exists. */
  readonly hasOverlay: boolean;
  readonly producerOf: ProducerOf;
  /** The command that generates the document. */
  readonly fixWith: string | undefined;
}

/** What to do about a finding; nothing for a fact that is answered. */
export function adviceOnFinding(finding: Finding, { producerOf, fixWith, overlay }: Presentation): Advice[] {
  const producer = producerOf(finding.pointer);
  const code = producer === undefined ? 'the code that generates the document' : formatPosition(producer);
  const again = fixWith === undefined ? 'generate the document again.' : `run: ${fixWith}`;
  const { baseline, action, state, reason } = finding;
  switch (state) {
    case 'answered':
      return [];
    case 'missing':
      return sentences(
        `The document must show it. Add it in ${code}, then ${again}`,
        `If the specification no longer states it, remove ${placeOf(baseline)} from the baseline.`,
      );
    case 'contradicted':
      return sentences(
        `The document must show ${baseline?.text ?? ''}. Change it in ${code}, then ${again}`,
        `If the specification changed, change ${placeOf(baseline)} and the section beside it.`,
      );
    case 'invented':
      return sentences(
        `Nothing states it. Remove it from ${code}, then ${again}`,
        `If it was answered, add an action to ${nameOf(overlay)}.`,
      );
    case 'stale answer': {
      const isReference = action?.update !== undefined && stringAt(action.update, '$ref') !== undefined;
      if (reason === 'states nothing' && isReference) return sentences(emptyReference(placeOf(action)));
      return reason === undefined ? [] : sentences(...STALE[reason](placeOf(action), code, again, finding));
    }
  }
}

const emptyReference = (at: string): string =>
  `This \`$ref\` adds nothing: other actions state what it points to. Write the schema inline at ${at}, and remove it from where it is now.`;

const STALE: Readonly<
  Record<StaleReason, (at: string, code: string, again: string, finding: Finding) => string[]>
> = {
  'not shown': (at, code, again) => [
    `The document doesn't show the answer. Add it in ${code}, then ${again}`,
    `If the answer no longer holds, remove the action at ${at} from the overlay.`,
  ],
  'shown differently': (at, code, again) => [
    `The document shows another value than the answer. Correct ${code}, then ${again}`,
    `If the answer changed, change ${at}, with who answered, when and why.`,
  ],
  'shown without the answer': (at, code, again) => [
    `The document shows it, but not because of the answer. Remove it from ${code}, then ${again}`,
    `Remove it from the action at ${at}, too.`,
  ],
  'no target': (at) => [`The baseline has no such target. Correct \`target\` at ${at}.`],
  'out of order': (at, _code, _again, { after }) => [
    `The target is added at ${placeOf(after)}, by a later action. Move the action at ${at} after it.`,
  ],
  'would overwrite': (at) => [
    `The baseline or an earlier answer states something there. An answer can only add. Correct ${at}.`,
  ],
  'states nothing': (at) => [
    `The action adds no fact: it is empty, or it states OpenAPI's default. Remove the action at ${at}, or only its \`update\` if it has an \`x-answer\`.`,
  ],
};

/** What to do about the two sides of a question; nothing if they agree. */
export async function adviceOnAnswer(
  compared: ComparedAnswer,
  presentation: Presentation,
): Promise<Advice[]> {
  const { state, action, entered } = compared;
  switch (state) {
    case 'answered':
    case 'depends':
      return [];
    case 'missing answer':
      return action === undefined ? addToOverlay(compared, presentation) : addToCode(compared, presentation);
    case 'contradicting answers':
      return [...changeActions(compared, presentation), ...(await addToCode(compared, presentation))];
    case 'answer without value': {
      if (presentation.report.problems?.has(compared.question)) return replaceActions(compared, presentation);
      const text = `Add the answer itself to the action at ${placeOf(action)}:`;
      return [{ text, lines: fieldLines(entered?.value) }];
    }
    case 'wrong actions':
      return replaceActions(compared, presentation);
    case 'unknown question':
      return sentences(
        `There is no such question. Correct \`x-question\` at ${placeOf(action)}. OPEN_QUESTIONS.md lists them all.`,
      );
  }
}

function addToOverlay(compared: ComparedAnswer, { overlay, hasOverlay, report }: Presentation): Advice[] {
  const { question, entered } = compared;
  if (entered === undefined) return [];
  const isFirst = report.answers.find(({ action }) => action === undefined) === compared;
  const lines = actionLines(compared, report, UNKNOWN);
  const rest =
    report.implied === undefined
      ? ' What the answer adds to the document goes under `update`, with the place as `target`, or into further actions of the same question.'
      : ` ${orRun(question)}`;
  return [
    {
      text: `Add this action to ${nameOf(overlay)}, with who answered, when and why.${rest}`,
      lines: isFirst && !hasOverlay ? `${overlayHead()}\n${lines}` : lines,
    },
    { text: `If nobody answered it, remove it from ${formatPosition(entered)}.` },
  ];
}

/** The answer was changed in the code alone, so somebody else may have given it. */
function changeActions(compared: ComparedAnswer, { report }: Presentation): Advice[] {
  const { question, actions, action } = compared;
  if (report.implied === undefined) {
    return sentences(
      `The two values must be equal. If the answer changed, change ${placeOf(action)}, with who answered, when and why.`,
    );
  }
  return [
    {
      text: `The two values must be equal. If the answer changed, put this in place of ${placesOf(actions)}, with who answered, when and why. ${orRun(question)} --replace`,
      lines: actionLines(compared, report, UNKNOWN),
    },
  ];
}

/** The answer is the same, so the provenance stays. */
function replaceActions(compared: ComparedAnswer, { report, fixWith }: Presentation): Advice[] {
  const { action, actions } = compared;
  if (action === undefined) return [];
  const provenance = { who: action.answeredBy, date: action.date, reason: action.reason };
  const again = fixWith === undefined ? 'generate the document again.' : `run: ${fixWith}`;
  return [
    {
      text: `The code adds this. Put it in place of ${placesOf(actions)}.`,
      lines: actionLines(compared, report, provenance),
    },
    { text: `If the overlay is right, correct the code that shows the answer, then ${again}` },
  ];
}

const orRun = (question: string): string => `Or run: npm run answer -- --question ${question}`;

function placesOf(actions: readonly Action[]): string {
  return `${actions.length === 1 ? 'the action' : 'the actions'} at ${actions.map(placeOf).join(', ')}`;
}

async function addToCode(
  { question, action, entered }: ComparedAnswer,
  { report }: Presentation,
): Promise<Advice[]> {
  const { entered: code } = report;
  if (action?.answer === undefined || code === undefined) return [];
  const value = action.answer;
  if (!code.schemas.has(question)) {
    const todo =
      entered === undefined ? `Add it to ${code.source}:` : `Or change ${formatPosition(entered)} to:`;
    return [{ text: todo, lines: await answerLines(question, value) }];
  }
  // A schema is code. Only its JSON Schema can be compared and shown.
  const schema = `a Standard Schema, of Zod for instance, with the JSON Schema ${valueText(value)}`;
  const text =
    entered === undefined
      ? `Add to ${code.source} ${schema}:`
      : `Or change ${formatPosition(entered)} to ${schema}:`;
  return [{ text, lines: schemaLines(question) }];
}

function sentences(...texts: readonly string[]): Advice[] {
  return texts.map((text) => ({ text }));
}

function nameOf(overlay: string | undefined): string {
  return overlay ?? 'an overlay, and name the overlay with --overlay';
}

function placeOf(written: { readonly place: Place } | undefined): string {
  return written === undefined ? 'it' : formatPlace(written.place);
}

/** As Prettier writes YAML. */
const LAYOUT = { singleQuote: true, lineWidth: 0, aliasDuplicateObjects: false } as const;

/** A person fills in what stands in angle brackets. */
const UNKNOWN: Provenance = {
  who: '<who answered>',
  date: '<when, as 2026-01-31>',
  reason: '<why, or where to read it>',
};

/** The actions of the overlay with the code's answer. */
function actionLines(
  { question, entered }: ComparedAnswer,
  report: GateReport,
  provenance: Provenance,
): string {
  const value = entered === undefined ? null : toPlain(entered.value);
  const actions = report.implied?.get(question)?.actions ?? [];
  return indented(stringify(actionFields({ question, value, actions, provenance }), LAYOUT), '  ');
}

/** What an overlay starts with. */
function overlayHead(): string {
  const head = { overlay: '1.0.0', info: { title: 'Answers to the open questions', version: '1.0.0' } };
  return `${stringify(head, LAYOUT)}actions:`;
}

/** The field of an action that has this answer. */
function fieldLines(value: SourceNode | undefined): string {
  const answer = value === undefined ? '<the answer>' : toPlain(value);
  return indented(stringify({ 'x-answer': answer }, LAYOUT), '    ');
}

/** The lines of answers.ts that have this answer. */
async function answerLines(question: string, value: SourceNode): Promise<string> {
  const source = `answers = {\n${JSON.stringify({ [question]: toPlain(value) }).slice(1, -1)}}`;
  const lines = (await prettify(source, 'babel')).trimEnd().split('\n');
  return lines.slice(1, -1).join('\n');
}

/** The line of answers.ts where a schema goes. */
function schemaLines(question: string): string {
  return `  ${/^\w+$/.test(question) ? question : `'${question}'`}: <a schema>,`;
}

function indented(lines: string, by: string): string {
  return lines.trimEnd().replace(/^(?=.)/gm, by);
}
