import { openQuestions } from '@plant-store/contract';
import { compare, type Finding, isClean, tallyOf } from '../gate/gate.js';
import { factsOf, nameOf } from '../gate/facts.js';
import { type LedgerEntry, wordsOf } from '../ledger.js';
import { code, escape, table } from '../markdown.js';
import { FILES, readSource, type Sources } from '../repository.js';

/**
 * docs/reference/contract-diff.md: the document beside the specification. Each specified fact and each answer has a row,
 * with the facts that the answer shows. It has no line numbers, so that a row changes only with its fact.
 */
export function renderContractDiff({ document, ledger }: Sources): string {
  const findings = compare(
    factsOf(readSource(FILES.baseline)),
    factsOf({ text: document, file: FILES.document }),
    ledger,
  );
  const open = openQuestions.length - Object.keys(ledger).length;
  const specified = findings.filter(({ state }) => state === 'specified');
  const answers = Object.entries(ledger).map(([id, answer]) => answerRow(id, answer, findings));
  return [
    '# The document beside the specification',
    `**${tallyOf(findings)}, [${open} open](../../OPEN_QUESTIONS.md)**`,
    isClean(findings)
      ? 'The document says what the specification and the answers state, and nothing else.'
      : 'The document differs from what is stated. To see where, run `npx nx run webhook:openapi-diff`.',
    ...(answers.length === 0
      ? []
      : ['## Answered', table(['Question', 'State', 'Answer', 'In the document'], answers)]),
    '## Specified',
    table(
      ['Fact', 'Value', 'Section'],
      specified.map(({ pointer, stated }) => [
        escape(nameOf(pointer)),
        code(stated!.text),
        stated!.comment ?? '',
      ]),
    ),
  ].join('\n\n');
}

function answerRow(id: string, answer: LedgerEntry, findings: readonly Finding[]): string[] {
  const shown = findings.filter(({ question }) => question === id);
  return [
    `[${escape(id)}](../../OPEN_QUESTIONS.md)`,
    answer.inWords === undefined ? 'answered' : 'not carried out',
    code(wordsOf(answer)),
    shown.map((fact) => escape(`${nameOf(fact.pointer)}: ${fact.shown!.text}`)).join('<br>') ||
      (answer.places?.length ? 'no more than what other answers add' : 'nothing'),
  ];
}
