import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

export const HELP = `Usage: npm run answer -- --question ID --value VALUE --who TEXT --reason TEXT [options]
       npm run answer -- --question ID --remove

Enters an answer in libs/contract/src/answers.ts and libs/contract/spec/answers.overlay.yaml, and runs npm run generate.
In a terminal, it asks for what is missing.

  --question ID    a question of OPEN_QUESTIONS.md
  --value VALUE    as JSON or plain text; leave it out if the code has the answer already
  --who TEXT       who answered
  --date DATE      when, as 2026-01-31; today by default
  --reason TEXT    why, or where to read it
  --replace        replace the answer that is there
  --remove         remove the answer; the question is open again

Exit: 0 entered; 1 a step failed, and the output says what to do; 2 the options have faults, and nothing is changed.
`;

/**
 * @typedef {object} Options
 * @property {string} [question]
 * @property {unknown} [value]
 * @property {string} [who]
 * @property {string} date
 * @property {string} [reason]
 * @property {boolean} replace
 * @property {boolean} remove
 * @property {boolean} help
 */

/**
 * @param {string[]} args
 * @returns {Options}
 */
export function readOptions(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = parseArgs({
    args,
    options: {
      ...{ question: text, value: text, who: text, reason: text },
      date: { ...text, default: new Date().toLocaleDateString('sv') },
      ...{ replace: flag, remove: flag, help: flag },
    },
  });
  return { ...values, value: values.value === undefined ? undefined : parsed(values.value) };
}

/**
 * Asks for what the options don't say. An empty line leaves it out.
 *
 * @param {Options} options changed in place
 * @param {readonly { id: string, title: string, question: string, answer: string }[]} questions
 * @param {(question: string) => boolean} isInCode
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream }} terminal
 */
export async function askForRest(options, questions, isInCode, terminal) {
  const reader = createInterface(terminal);
  const lines = reader[Symbol.asyncIterator]();
  /** @param {string} prompt */
  const ask = async (prompt) => {
    terminal.output.write(`${prompt}: `);
    const { value = '' } = await lines.next();
    return value.trim() || undefined;
  };
  options.question ??= await ask('Question');
  const known = questions.find(({ id }) => id === options.question);
  if (known !== undefined && !options.remove) {
    terminal.output.write(`\n${known.question}\nAn answer: ${known.answer}\n\n`);
    const isGiven = options.value !== undefined || (isInCode(known.id) && !options.replace);
    if (!isGiven) {
      const value = await ask(isInCode(known.id) ? 'Value (empty: that of the code)' : 'Value');
      options.value = value === undefined ? undefined : parsed(value);
    }
    options.who ??= await ask('Who answered');
    options.reason ??= await ask('Why, or where to read it');
  }
  reader.close();
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
