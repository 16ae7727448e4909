import type { DescribedChange } from './describe-change.js';
import type { IsChanged } from './changed-lines.js';
import { shorten } from './markdown.js';
import type { ChangesReport, GateReport, Position } from './openapi.js';

/** What annotations are made from. */
export interface Annotated {
  readonly answers: readonly DescribedChange[];
  readonly gate: GateReport;
  readonly document: ChangesReport;
  readonly isChanged: IsChanged;
}

type Level = 'error' | 'warning' | 'notice';

interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly lines: readonly string[];
  /** Where it may stand; the best place first. */
  readonly places: readonly (Position | undefined)[];
}

/** GitHub shows this many annotations of a level for one step. */
const MAX_SHOWN = 10;

/** A line of an annotation that is longer is shortened. */
const MAX_LINE = 500;

/** Changes with these verdicts break nobody. They are on the page alone. */
const HARMLESS = ['not breaking', 'additive'];

/** Answers in these states are no findings: nothing is wrong, or another answer has to be corrected first. */
const FINE = ['answered', 'depends'];

/**
 * The commands that make GitHub annotate lines: findings and breaking changes as errors, changes that may break
 * somebody as warnings, answers as notices. All of them are at lines that changed; what has none is on the page alone.
 */
export function annotations({ isChanged, ...input }: Annotated): string {
  const placed = [...ofFindings(input.gate), ...ofChanges(input), ...ofAnswers(input)].flatMap((one) => {
    const place = one.places.find((at) => at?.line !== undefined && isChanged(at.file, at.line));
    return place === undefined ? [] : [{ ...one, place }];
  });
  const shown = (['error', 'warning', 'notice'] as const).flatMap((level) =>
    placed.filter((one) => one.level === level).slice(0, MAX_SHOWN),
  );
  return shown.map((one) => `${command(one, one.place)}\n`).join('');
}

function ofFindings({ findings, answers }: GateReport): Annotation[] {
  const ofFacts = findings
    .filter(({ state }) => !FINE.includes(state))
    .map(({ state, name, answer, document, producer, specification, advice }): Annotation => ({
      level: 'error',
      title: `${state}: ${name}`,
      lines: advice,
      places: [answer, document, producer, specification],
    }));
  const ofSides = answers
    .filter(({ state }) => !FINE.includes(state))
    .map(({ state, question, overlay, code, advice }): Annotation => ({
      level: 'error',
      title: `${state}: ${question}`,
      lines: advice.map(({ text }) => text),
      places: [code, overlay],
    }));
  return [...ofSides, ...ofFacts];
}

/** A change stands at its line of the document, at the code that wrote it, or at the answer that caused it. */
function ofChanges({ document, gate }: Omit<Annotated, 'isChanged'>): Annotation[] {
  const telling = document.changes.filter(({ verdict }) => !HARMLESS.includes(verdict));
  return telling.map(({ id, what, name, pointer, verdict, verdicts, before, after, producer }) => {
    const cause = gate.answers.find(({ facts }) => facts.some((fact) => areNested(fact, pointer)));
    return {
      level: verdict === 'breaking' ? 'error' : 'warning',
      title: `${verdict}: ${what}: ${name}`,
      lines: [
        `Rule: ${id}`,
        ...Object.entries(verdicts).map(([party, one]) => `For a ${party}: ${one}`),
        `Before: ${before?.value ?? 'nothing'}`,
        `After: ${after?.value ?? 'nothing'}`,
      ],
      places: [after, producer, cause?.code, cause?.overlay],
    };
  });
}

function ofAnswers({ answers, gate }: Omit<Annotated, 'isChanged'>): Annotation[] {
  return answers.map(({ question, title, kind, value, stated, effect }) => {
    const sides = gate.answers.find((one) => one.question === question);
    return {
      level: 'notice',
      title: `${title}: ${kind}`,
      lines: [
        `Answer: ${value}`,
        stated,
        ...(effect?.receiver ? [`Receiver: ${effect.receiver}`] : []),
        ...(effect?.sender ? [`Sender: ${effect.sender}`] : []),
        ...(effect ? [`Roll out: ${effect.rollout.order}. ${effect.rollout.reason}`] : []),
        ...(effect ? [`Version step: ${effect.step}`] : []),
      ],
      places: [sides?.code, sides?.overlay],
    };
  });
}

/** Whether one of two JSON Pointers leads to the other, or into it. */
function areNested(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

/** A command of GitHub's workflows. In its properties, `:` and `,` are marks. */
function command({ level, title, lines }: Annotation, { file, line = 0 }: Position): string {
  const properties = { file, line: String(line), title: shorten(title, MAX_LINE) };
  const marked = Object.entries(properties).map(
    ([name, value]) => `${name}=${escape(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  const message = lines.map((text) => shorten(text, MAX_LINE)).join('\n');
  return `::${level} ${marked.join(',')}::${escape(message)}`;
}

function escape(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
