import type { Ledger } from '../ledger.js';
import { visible } from '../markdown.js';
import { type Fact, nameOf } from './facts.js';
import { type Finding, isClean, tallyOf } from './gate.js';

/** The command that writes the document and the ledger of the answers. */
export const GENERATE_DOCUMENT = 'npx nx run webhook:openapi';

/**
 * The findings for a terminal: the answers with what they show, or, if something fails, that alone; then the counts. No
 * finding of a document without answers has a place in a file, because that document is in none.
 */
export function renderReport(findings: readonly Finding[], ledger: Ledger): string {
  const blocks = isClean(findings)
    ? Object.keys(ledger).map((question) => answerBlock(question, findings, ledger))
    : findings.filter((finding) => !isClean([finding])).map(findingBlock);
  return [...blocks, tallyOf(findings), ''].join('\n');
}

function answerBlock(question: string, findings: readonly Finding[], ledger: Ledger): string {
  const { inWords, who, on, why } = ledger[question]!;
  const shown = findings.filter((finding) => finding.question === question);
  return [
    `${inWords === undefined ? 'answered' : 'not carried out'}: ${question}, by ${visible(who)} on ${on}: ${visible(why)}`,
    ...shown.map(({ pointer, shown }) => `  ${visible(`${nameOf(pointer)}: ${shown!.text}`)}`),
    '',
  ].join('\n');
}

function findingBlock(finding: Finding): string {
  const { state, pointer, stated, shown } = finding;
  return [
    visible(`${state}: ${nameOf(pointer)}   ${pointer}`),
    ...rowOf('specification', stated),
    ...rowOf('document', shown),
    ...adviceOn(finding).map((text, index) => `  ${(index === 0 ? 'to do' : '').padEnd(15)}${text}`),
    '',
  ].join('\n');
}

function rowOf(label: string, fact: Fact | undefined): string[] {
  if (fact === undefined) return [];
  const section = fact.comment === undefined ? '' : ` (${fact.comment})`;
  return [`  ${label.padEnd(15)}${visible(fact.text)}   ${fact.file}:${fact.line}${section}`];
}

/** What to do about a finding that fails. */
function adviceOn({ state, stated, pointer, question }: Finding): string[] {
  const decorators = pointer.startsWith('/webhooks') ? 'new-plant.decorators.ts' : 'create-document.ts';
  const code = `apps/webhook/src/openapi/${decorators}`;
  const again = `then run: ${GENERATE_DOCUMENT}`;
  if (state === 'missing' && question !== undefined)
    return [
      `The answer to ${question} shows it. Look in apps/webhook/src/answers for what keeps it from the document, ${again}`,
    ];
  const place = stated === undefined ? '' : `${stated.file}:${stated.line}`;
  switch (state) {
    case 'missing':
      return [
        `The document must show it. Add it in libs/contract/src/facts.ts or ${code}, ${again}`,
        `If the specification no longer states it, remove ${place} from the baseline.`,
      ];
    case 'contradicted':
      return [
        `The document must show ${stated!.text}. Change it in libs/contract/src/facts.ts or ${code}, ${again}`,
        `If the specification changed, change ${place} and the section beside it.`,
      ];
    default:
      return [
        `Nothing states it. Remove it from ${code}, ${again}`,
        'If it was answered, enter the answer in libs/contract/src/answers.ts. OPEN_QUESTIONS.md has the line to paste.',
      ];
  }
}
