import { openQuestions, plainAnswers, type QuestionId } from '@plant-store/contract';
import { answerInWords, effectLines, effectOf } from '../effects/effects.js';
import { isClean, passes } from '../gate/gate.js';
import { type Provenance, readOverlay } from '../gate/overlay.js';
import { writePages } from '../pages/pages.js';
import { plain } from '../gate/read.js';
import { questionOf } from '../report/advice.js';
import { renderText } from '../report/report.js';
import { FILES, gateOf, readIfThere, readSource, replaceFile } from '../repository.js';
import { enterInSource } from '../answers/answers-source.js';
import { triedFaults } from '../answers/try-schemas.js';
import { QUESTIONS } from '../gate/code-answers.js';
import { formatCode } from '../answers/format.js';
import { impliedBy } from '../gate/implied.js';
import { enterInOverlay, removeFromOverlay } from '../answers/overlay-source.js';
import { type AnswerRequest, isRewrite, requestFaults } from './request.js';
import { makeDocuments, readAnswers } from './workbench.js';

/** How it ended: the lines to print, and the exit code. */
export interface Entered {
  readonly lines: readonly string[];
  readonly code: 0 | 1 | 2;
}

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
  const signedAnswer = own?.answer && plain(own.answer);
  const isAgain = own !== undefined && question in answers && isRewrite(request);
  const faults = isAgain ? [] : requestFaults(request, answers, own !== undefined);
  if (faults.length === 0 && !remove) {
    const next = value === undefined ? answers : { ...answers, [question]: value };
    faults.push(...(await triedFaults(next)).map((fault) => `--value: ${fault}`));
  }
  if (faults.length > 0) return { lines: faults, code: 2 };

  const source =
    value === undefined && !remove ? before.code : enterInSource(before.code, question, value, QUESTIONS);
  const code = source === before.code ? source : await formatCode(source);
  replaceFile(FILES.answers, code);
  try {
    const entered = plainAnswers(await readAnswers());
    const { document, without } = makeDocuments();
    const implied = impliedBy(readSource(FILES.baseline), document, without);
    const overlay = await signedOverlay();
    const report = gateOf({ answers: entered, document: document.text, overlay });
    replaceFile(FILES.overlay, overlay);
    replaceFile(FILES.document, document.text);
    const pages = writePages({ answers: entered, document: document.text, overlay });
    const changed = [
      { file: FILES.answers, isChanged: code !== before.code },
      { file: FILES.overlay, isChanged: overlay !== before.overlay },
      { file: FILES.document, isChanged: document.text !== before.document },
      ...pages,
    ];
    const width = Math.max(...changed.map(({ file }) => file.length));
    const listed = changed.map(
      ({ file, isChanged }) => `${file.padEnd(width)}  ${isChanged ? 'changed' : 'unchanged'}`,
    );
    // Without a value, the code has the new answer already, and the overlay the one that was signed before.
    const was = value === undefined && !remove ? signedAnswer : plainAnswers(answers)[question];
    const lines = [...sayWhatChanges(question, was, entered), '', ...listed, ''];
    if (isClean(report)) return { lines: [...lines, NEXT], code: 0 };
    const findings = await renderText({ report, implied, overlay: FILES.overlay });
    return { lines: [...lines, findings, 'The answer is entered. The gate finds the above.'], code: 1 };

    async function signedOverlay(): Promise<string | undefined> {
      const mine: Provenance = isAgain
        ? own
        : { answeredBy: request.who ?? '', date: request.date, reason: request.reason ?? '' };
      const sign = (text: string | undefined, id: string, by: Provenance) => {
        const actions = implied.get(id)?.actions ?? [];
        return enterInOverlay(text, { ...by, question: id, value: entered[id], actions }, QUESTIONS);
      };
      let text = remove
        ? before.overlay && (await removeFromOverlay(before.overlay, question))
        : await sign(before.overlay, question, mine);
      // What an answer adds may have moved with this one. Those keep who, when and why.
      for (const action of text === undefined ? [] : readOverlay(text, FILES.overlay)) {
        const { question: id, answer } = action;
        if (id !== question && answer !== undefined && id in entered && implied.has(id) && isStale(id, text))
          text = await sign(text, id, action);
      }
      return text;
    }

    function isStale(id: string, text: string | undefined): boolean {
      const { findings } = gateOf({ answers: entered, document: document.text, overlay: text });
      return findings.some((finding) => !passes(finding) && questionOf(finding, implied) === id);
    }
  } catch (error) {
    if (readSource(FILES.answers).text === code) replaceFile(FILES.answers, before.code);
    replaceFile(FILES.overlay, before.overlay);
    replaceFile(FILES.document, before.document);
    throw error;
  }
}

/** The new answer, and what it means. */
function sayWhatChanges(
  question: string,
  before: unknown,
  answers: Readonly<Record<string, unknown>>,
): string[] {
  const { title = question } = openQuestions.find(({ id }) => id === question) ?? {};
  const now = answers[question];
  const stated = now === undefined ? 'open again' : answerInWords(question as QuestionId, now);
  const effect = effectOf(question as QuestionId, before, now, answers);
  return [`${title} (${question}): ${stated}`, ...effectLines(effect).map((line) => `  ${line}`)];
}

const NEXT =
  'Next: git status, git diff, npm run review, npm test, npm run check, and a version plan (docs/how-to/release.md).';
