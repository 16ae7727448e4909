import { codeBlock, escape } from '../markdown.js';
import { committedSources, FILES, readLedger } from '../repository.js';
import { answerChanges, renderAnswerChanges } from './answer-changes.js';
import { diffSince, fileAt, findBase } from './base.js';

/**
 * What the reviewer of a change has to know, as Markdown: the answers that changed, with what they mean, and what changed
 * in the baseline. Empty if there is nothing to say. The gate says by itself what fails.
 *
 * @param reference what the working tree is compared with, which is the working directory
 * @throws ToolError if a file or the base can't be read
 */
export function review(reference: string): string {
  const base = findBase(reference);
  const ledger = fileAt(base, FILES.ledger);
  const before =
    ledger === undefined ? {} : readLedger({ text: ledger, file: `${base.label}:${FILES.ledger}` });
  const changes = answerChanges(before, committedSources().ledger);
  const facts = diffSince(base, FILES.baseline);
  const since = ` since ${escape(base.label)}`;
  const sections = [
    ...(changes.length === 0 ? [] : [`## Answers${since}\n\n${renderAnswerChanges(changes)}\n`]),
    ...(facts === ''
      ? []
      : [`## Changes of the specification's facts${since}\n\n${codeBlock(facts, 'diff')}\n`]),
  ];
  if (sections.length === 0) return '';
  return [...(base.note === undefined ? [] : [`${escape(base.note)}\n`]), ...sections].join('\n');
}
