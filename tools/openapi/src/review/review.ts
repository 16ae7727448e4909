import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, answers, plainAnswers } from '@plant-store/contract';
import { codeAnswersOf } from '../gate/code-answers.js';
import { gate, isClean } from '../gate/gate.js';
import { type Action, readOverlay } from '../gate/overlay.js';
import { readText, type Source } from '../gate/read.js';
import { code, escape } from '../markdown.js';
import { readProducers } from '../report/producers.js';
import { annotation, FORMATS } from '../report/report.js';
import { FILES, GENERATE_DOCUMENT } from '../repository.js';
import {
  type AnswerChange,
  answerChanges,
  type PlainAccepts,
  renderAnswerChanges,
} from './answer-changes.js';
import { fileAt, findBase } from './base.js';
import { renderBaselineChanges } from './baseline-changes.js';

export interface ReviewOptions {
  /** What the working tree is compared with. @default `main` */
  readonly base?: string | undefined;
  /** A page, or annotations for a job of GitHub Actions. */
  readonly format: 'markdown' | 'github';
  /** Whether the page may be longer than a comment on GitHub. */
  readonly all: boolean;
  /** The repository. @default the working directory */
  readonly folder?: string;
  /** The plain answers of the code. @default those of the contract */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** What is accepted beside them. @default what the contract accepts */
  readonly accepts?: PlainAccepts;
}

/** GitHub takes a comment of 65,536 characters. */
const MAX_PAGE = 60_000;

/** A document that says nothing. */
const EMPTY = 'openapi: 3.1.0\ninfo: { title: "", version: "" }\n';

/**
 * What the reviewer of a change has to know: the answers that changed, what changed in the baseline, and what the gate
 * finds in the document, which is all that it may say. Empty if there is nothing to say.
 *
 * @throws ToolError if a file or the base can't be read
 */
export async function review(options: ReviewOptions): Promise<string> {
  const { base: reference = 'main', format, all, folder = '.' } = options;
  const read = (file: string): Source | undefined =>
    existsSync(join(folder, file)) ? { text: readText(join(folder, file)), file } : undefined;
  const [baseline, document] = [FILES.baseline, FILES.document].map(
    (file) => read(file) ?? { text: EMPTY, file },
  );
  const overlay = read(FILES.overlay);
  const base = findBase(reference, folder);

  const changes = answerChanges(
    actionsIn(fileAt(base, FILES.overlay, folder)),
    actionsIn(overlay?.text),
    options.accepts ?? accepts,
  );
  const entered = codeAnswersOf(options.answers ?? plainAnswers(answers));
  const report = gate({ baseline: baseline!, document: document!, overlay, answers: entered });
  const sources = join(folder, FILES.sources);
  const presentation = {
    ...{ report, code: entered, overlay: FILES.overlay, fixWith: GENERATE_DOCUMENT },
    producerOf: readProducers(existsSync(sources) ? sources : undefined),
  };
  if (format === 'github') {
    const findings = isClean(report) ? '' : await FORMATS.github(presentation);
    return findings + changes.map(annotationOf).join('');
  }
  const facts = renderBaselineChanges(fileAt(base, FILES.baseline, folder) ?? EMPTY, baseline!.text);
  const since = base.revision === undefined ? '' : ` since ${escape(base.label)}`;
  const sections = [
    ...(changes.length === 0 ? [] : [`## Answers${since}\n\n${renderAnswerChanges(changes)}\n`]),
    ...(facts === undefined ? [] : [`## Changes of the specification's facts${since}\n\n${facts}\n`]),
    ...(isClean(report)
      ? []
      : [`## The document differs from what is stated\n\n${await FORMATS.markdown(presentation)}`]),
  ];
  if (sections.length === 0) return '';
  const page = [...(base.note === undefined ? [] : [`${escape(base.note)}\n`]), ...sections];
  const rest = `and more: ${code(`npm run review -- --base ${reference} --all`)}`;
  return all ? page.join('\n') : fit(page, rest);
}

function actionsIn(text: string | undefined): Action[] {
  return text === undefined ? [] : readOverlay(text, FILES.overlay);
}

/** A notice at the action of an answer that changed. */
function annotationOf({ title, kind, sentences, action }: AnswerChange): string {
  const details = sentences.map((words) => ({ label: 'Review', words }));
  const position = action?.place;
  return annotation({
    level: 'notice',
    title: `${title}: ${kind}`,
    position,
    details,
    advice: [],
  });
}

/** A page that is not too long: each section has at most its share, ends after a whole line, and says so. */
function fit(sections: readonly string[], rest: string): string {
  const whole = sections.join('\n');
  if (whole.length <= MAX_PAGE) return whole;
  const share = Math.floor(MAX_PAGE / sections.length) - rest.length - 20;
  return sections
    .map((section) => (section.length <= share ? section : cut(section, share, rest)))
    .join('\n');
}

/** Whole lines, and the end of a block of code that is open below them. */
function cut(section: string, room: number, rest: string): string {
  const lines = section.slice(0, room).split('\n').slice(0, -1);
  const fence = lines.reduce<string | undefined>((open, line) => {
    if (open !== undefined) return line === open ? undefined : open;
    return /^`{3,}/.exec(line)?.[0];
  }, undefined);
  return [lines.join('\n').trimEnd(), ...(fence === undefined ? [] : [fence]), rest, ''].join('\n\n');
}
