import { fileURLToPath } from 'node:url';
import { openQuestions, plainAnswers, type QuestionId, stillAccepted } from '@plant-store/contract';
import { stillAcceptedFaults } from '@plant-store/contract/check';
import { enterInSource, importedBy } from '../answers/answers-source.js';
import { formatCode } from '../answers/format.js';
import { enterInOverlay, removeFromOverlay } from '../answers/overlay-source.js';
import { triedFaults } from '../answers/try-schemas.js';
import { answerInWords, differenceOf, effectLines, type PlainAnswers } from '../effects/effects.js';
import { QUESTIONS, STILL_ACCEPTED_SOURCE } from '../gate/code-answers.js';
import { type GateReport, passes } from '../gate/gate.js';
import { type Implied, questionOf } from '../gate/implied.js';
import { type Provenance, readOverlay } from '../gate/overlay.js';
import { plain } from '../gate/read.js';
import { writePages } from '../pages/pages.js';
import {
  FILES,
  gateOf,
  makeDocuments,
  readAnswers,
  readIfThere,
  readSource,
  replaceFile,
  runNode,
} from '../repository.js';
import { type AnswerRequest, isRewrite, requestFaults } from './request.js';

/** What is wrong with a request, and so nothing was changed; or what was entered, and what the checks say of it. */
export type Entered =
  | { readonly faults: readonly string[] }
  | {
      readonly lines: readonly string[];
      readonly report: GateReport;
      readonly implied: ReadonlyMap<string, Implied>;
      /** What the compiler says; empty if the contract compiles. */
      readonly compiler: string;
    };

const COMPILE = [
  fileURLToPath(import.meta.resolve('typescript/lib/tsc.js')),
  '--noEmit',
  '--pretty',
  'false',
];
const CONTRACT = 'libs/contract/tsconfig.build.json';

/**
 * Enters an answer on both sides, and writes every generated file. If a step fails, both sides are put back.
 */
export async function enterAnswer(request: AnswerRequest): Promise<Entered> {
  const { question, value, remove } = request;
  const before = {
    code: readSource(FILES.answers).text,
    overlay: readIfThere(FILES.overlay)?.text,
    document: readSource(FILES.document).text,
  };
  const answers = await readAnswers();
  const signed = before.overlay === undefined ? [] : readOverlay(before.overlay, FILES.overlay);
  const own = signed.find((action) => action.question === question && action.answer !== undefined);
  const isAgain = own !== undefined && question in answers && isRewrite(request);
  const faults = isAgain ? [] : requestFaults(request, answers, own !== undefined);
  if (faults.length === 0) {
    const next = remove || value !== undefined ? { ...answers, [question]: value } : answers;
    faults.push(
      ...stillAcceptedFaults(stillAccepted, next).map((fault) => `${STILL_ACCEPTED_SOURCE}: ${fault}`),
    );
    if (!remove) faults.push(...(await triedFaults(next)).map((fault) => `--value: ${fault}`));
  }
  if (faults.length > 0) return { faults };

  const isSame = value === undefined && !remove;
  const code = await formatCode(
    isSame ? before.code : enterInSource(before.code, question, value, QUESTIONS),
  );
  replaceFile(FILES.answers, code);
  try {
    const compiled = runNode([...COMPILE, '--project', CONTRACT]);
    const entered = plainAnswers(await readAnswers());
    const { document, implied } = await makeDocuments();
    const overlay = await signedOverlay();
    const report = gateOf({ answers: entered, document, overlay });
    replaceFile(FILES.overlay, overlay);
    replaceFile(FILES.document, document);
    const changed = [
      { file: FILES.answers, isChanged: code !== before.code },
      { file: FILES.overlay, isChanged: overlay !== before.overlay },
      { file: FILES.document, isChanged: document !== before.document },
      ...writePages({ answers: entered, document, overlay }),
    ];
    const width = Math.max(...changed.map(({ file }) => file.length));
    // Without a value, the code has the new answer already, and the overlay the one that was signed before.
    const was = { ...plainAnswers(answers), ...(isSame && { [question]: own?.answer && plain(own.answer) }) };
    const lines = [
      ...sayWhatChanges(question, was, entered),
      '',
      ...changed.map(
        ({ file, isChanged }) => `${file.padEnd(width)}  ${isChanged ? 'changed' : 'unchanged'}`,
      ),
      ...importedBy(before.code)
        .filter((name) => !importedBy(code).includes(name))
        .map(
          (name) =>
            `If nothing else of the contract imports ${name}: npm uninstall ${name} --workspace @plant-store/contract`,
        ),
    ];
    const { output: compiler } = await compiled;
    return { lines, report, implied, compiler };

    async function signedOverlay(): Promise<string | undefined> {
      const today = new Date().toLocaleDateString('sv');
      const { who = '', date = today, reason = '' } = request;
      const sign = (text: string | undefined, id: string, by: Provenance) => {
        const actions = implied.get(id)?.actions ?? [];
        return enterInOverlay(text, { ...by, question: id, value: entered[id], actions }, QUESTIONS);
      };
      let text = remove
        ? before.overlay && (await removeFromOverlay(before.overlay, question))
        : await sign(before.overlay, question, isAgain ? own : { answeredBy: who, date, reason });
      // What an answer adds may have moved with this one. Those keep who, when and why.
      for (const action of text === undefined ? [] : readOverlay(text, FILES.overlay)) {
        const { question: id, answer } = action;
        if (id !== question && answer !== undefined && id in entered && implied.has(id) && isStale(id, text))
          text = await sign(text, id, action);
      }
      return text;
    }

    function isStale(id: string, text: string | undefined): boolean {
      const { findings } = gateOf({ answers: entered, document, overlay: text });
      return findings.some((finding) => !passes(finding) && questionOf(finding, implied) === id);
    }
  } catch (error) {
    if (readSource(FILES.answers).text === code) replaceFile(FILES.answers, before.code);
    replaceFile(FILES.overlay, before.overlay);
    replaceFile(FILES.document, before.document);
    throw error;
  }
}

/** The new answer, and what it means beside all others. */
function sayWhatChanges(question: string, before: PlainAnswers, answers: PlainAnswers): string[] {
  const { title = question } = openQuestions.find(({ id }) => id === question) ?? {};
  const now = answers[question];
  const stated = now === undefined ? 'open again' : answerInWords(question as QuestionId, now);
  const effects = differenceOf(before, answers).flatMap(effectLines);
  return [
    `${title} (${question}): ${stated}`,
    ...(effects.length === 0 ? ['Nothing changes.'] : effects).map((line) => `  ${line}`),
  ];
}
