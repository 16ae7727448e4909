import { createInterface } from 'node:readline/promises';
import { type Answers, isExecutable, openQuestions } from '@plant-store/contract';
import { answerFaults, isDay } from '@plant-store/contract/check';
import { QUESTIONS, SCHEMA_QUESTIONS } from '../gate/code-answers.js';
import { isExecutableAnswer } from '../gate/gate.js';
import { FILES } from '../repository.js';

/** What `npm run answer` was asked to do. It may lack anything. */
export interface AnswerRequest {
  readonly question: string;
  /** As JSON; undefined if the code has the answer already. */
  readonly value?: unknown;
  readonly who?: string | undefined;
  /** Today by default. */
  readonly date?: string | undefined;
  readonly reason?: string | undefined;
  /** Replace the answer that is there. */
  readonly replace: boolean;
  /** Open the question again. */
  readonly remove: boolean;
}

/** The options of `npm run answer`. */
export interface AnswerOptions {
  question?: string | undefined;
  value?: string | undefined;
  readonly words?: string;
  who?: string | undefined;
  readonly date?: string;
  reason?: string | undefined;
  readonly replace?: true;
  readonly remove?: true;
}

/** What the options ask for. */
export function requestOf({ question = '', value, words, ...others }: AnswerOptions): AnswerRequest {
  const answer = words === undefined ? value && readValue(question, value) : inWords(question, words);
  return { question, value: answer, replace: false, remove: false, ...others };
}

/** An answer in words has another form if the software could carry out one that is not. */
function inWords(question: string, words: string): unknown {
  return isExecutable(question) ? { inWords: words } : words;
}

/** The answer that a text means: JSON, or else the text as it is, if that alone answers the question. */
export function readValue(question: string, text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return text;
  }
  const isAnswer = (value: unknown) => answerFaults({ [question]: value }).length === 0;
  if (isAnswer(json)) return json;
  const { inWords: words } = (json ?? {}) as { readonly inWords?: unknown };
  if (!isExecutable(question) && words !== undefined) return words;
  return isAnswer(text) ? text : json;
}

/**
 * Asks in a terminal for what the options don't say. An empty line leaves it out.
 *
 * @param options changed in place
 * @param isInCode whether the code has the answer to a question
 */
export async function askForRest(
  options: AnswerOptions,
  isInCode: (question: string) => boolean,
  terminal: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): Promise<void> {
  const reader = createInterface(terminal);
  const lines = reader[Symbol.asyncIterator]();
  const ask = async (prompt: string): Promise<string | undefined> => {
    terminal.output.write(`${prompt}: `);
    const { value = '' } = (await lines.next()) as { value?: string };
    return value.trim() || undefined;
  };
  options.question ??= await ask('Question');
  const known = openQuestions.find(({ id }) => id === options.question);
  if (known !== undefined && !options.remove) {
    terminal.output.write(`\n${known.question}\nAn answer: ${known.answer}\n\n`);
    const isGiven = options.words !== undefined || (isInCode(known.id) && !options.replace);
    if (!isGiven)
      options.value ??= await ask(isInCode(known.id) ? 'Value (empty: that of the code)' : 'Value');
    options.who ??= await ask('Who answered');
    options.reason ??= await ask('Why, or where to read it');
  }
  reader.close();
}

/** Whether only the actions of an answer are to be written again. */
export function isRewrite({ value, who, date, reason, replace, remove }: AnswerRequest): boolean {
  return !replace && !remove && [value, who, date, reason].every((given) => given === undefined);
}

/**
 * Every fault of a request, one line each.
 *
 * @param answers those of the code
 * @param isSigned whether the overlay has an answer to its question
 */
export function requestFaults(request: AnswerRequest, answers: Answers, isSigned: boolean): string[] {
  const { question, value, who = '', date, reason = '', replace, remove } = request;
  const provenance = remove
    ? []
    : [
        ...(who.trim() === '' ? ['--who is missing: who answered'] : []),
        ...(date === undefined || isDay(date)
          ? []
          : [`--date must be a day such as 2026-01-31 (got ${date})`]),
        ...(reason.trim() === '' ? ['--reason is missing: why, or where to read it'] : []),
      ];
  if (question === '') return ['--question is missing', ...provenance];
  if (!QUESTIONS.includes(question))
    return [`--question: there is no ${question}. The questions: ${QUESTIONS.join(', ')}`, ...provenance];
  const isInCode = question in answers;
  if (remove) {
    if (!isInCode && !isSigned) return [`--remove: ${question} has no answer`];
    const others = Object.fromEntries(Object.entries(answers).filter(([id]) => id !== question));
    return answerFaults(others).map((fault) => `--remove: another answer needs this one. ${fault}`);
  }
  const isWords = value !== undefined && !isExecutableAnswer(question, value);
  if (SCHEMA_QUESTIONS.includes(question) && !isWords && (value !== undefined || !isInCode))
    return [
      `--value: ${question} is answered with a schema, which is code. Write it in ${FILES.answers} as docs/how-to/answer-a-question.md says, then run this again without --value`,
      ...provenance,
    ];
  if (value === undefined && !isInCode) return ['--value is missing', ...provenance];
  const isThere = isSigned || (value !== undefined && isInCode);
  const next = value === undefined ? answers : { ...answers, [question]: value };
  return [
    ...(isThere && !replace ? [`${question} has an answer already. To replace it, add --replace`] : []),
    ...answerFaults(next).map((fault) => `--value: ${fault}`),
    ...provenance,
  ];
}
