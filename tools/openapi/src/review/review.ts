import { stillAccepted } from '@plant-store/contract';
import { isClean } from '../gate/gate.js';
import { type Action, readOverlay } from '../gate/overlay.js';
import { code, codeBlock, escape, visible } from '../markdown.js';
import type { Presentation } from '../report/advice.js';
import { annotation, renderGithub, renderText } from '../report/report.js';
import { committedSources, FILES, gateOf, makeDocuments } from '../repository.js';
import { type AnswerChange, answerChanges, renderAnswerChanges } from './answer-changes.js';
import { diffSince, fileAt, findBase } from './base.js';

export interface ReviewOptions {
  /** What the working tree is compared with. @default `main` */
  readonly base?: string;
  /** A page, or annotations for a job of GitHub Actions. @default `markdown` */
  readonly format?: 'markdown' | 'github';
  /** Whether the page may be longer than a comment on GitHub. @default false */
  readonly all?: boolean;
}

/** GitHub takes a comment of 65,536 characters. */
const MAX_PAGE = 60_000;

/**
 * What the reviewer of a change has to know: the answers that changed, what changed in the baseline, and what the gate
 * finds in the document, which is all that it may say. Empty if there is nothing to say.
 *
 * @param sources what is in the working tree, which is the working directory
 * @param accepted what is accepted beside the answers
 * @throws ToolError if a file or the base can't be read
 */
export async function review(
  { base: reference = 'main', format, all = false }: ReviewOptions,
  sources = committedSources(),
  accepted: Parameters<typeof answerChanges>[2] = stillAccepted,
): Promise<string> {
  const base = findBase(reference);
  const changes = answerChanges(actionsIn(fileAt(base, FILES.overlay)), actionsIn(sources.overlay), accepted);
  const report = gateOf(sources);
  const isUnsigned = report.answers.some(({ state, action }) => state === 'missing answer' && !action);
  const presentation: Presentation = {
    report,
    overlay: FILES.overlay,
    // It takes seconds, so it is made only for a reader of it.
    implied: isUnsigned ? (await makeDocuments()).implied : undefined,
  };
  if (format === 'github') {
    const findings = isClean(report) ? '' : await renderGithub(presentation);
    return findings + changes.map(annotationOf).join('');
  }
  const since = ` since ${escape(base.label)}`;
  const facts = diffSince(base, FILES.baseline);
  const sections = [
    ...(changes.length === 0 ? [] : [`## Answers${since}\n\n${renderAnswerChanges(changes)}\n`]),
    ...(facts === ''
      ? []
      : [`## Changes of the specification's facts${since}\n\n${codeBlock(facts, 'diff')}\n`]),
    ...(isClean(report)
      ? []
      : [
          `## The document differs from what is stated\n\n${codeBlock((await renderText(presentation)).trimEnd(), 'text')}\n`,
        ]),
  ];
  if (sections.length === 0) return '';
  const page = [...(base.note === undefined ? [] : [`${escape(base.note)}\n`]), ...sections].join('\n');
  return all ? page : fit(page, `and more: ${code(`npm run review -- --base ${reference} --all`)}`);
}

function actionsIn(text: string | undefined): Action[] {
  return text === undefined ? [] : readOverlay(text, FILES.overlay);
}

/** A notice at the action of an answer that changed. */
function annotationOf({ title, kind, sentences, action }: AnswerChange): string {
  return annotation({
    level: 'notice',
    title: `${title}: ${kind}`,
    position: action?.place,
    lines: sentences.map(visible),
  });
}

/** A page that is not too long: it ends after a whole line, and says so. */
function fit(page: string, rest: string): string {
  if (page.length <= MAX_PAGE) return page;
  const lines = page
    .slice(0, MAX_PAGE - rest.length - 20)
    .split('\n')
    .slice(0, -1);
  const fences = lines.flatMap((line) => /^`{3,}/.exec(line) ?? []);
  const isOpen = fences.length % 2 === 1;
  return [lines.join('\n'), ...(isOpen ? fences.slice(-1) : []), rest, ''].join('\n\n');
}
