import { createInterface } from 'node:readline/promises';
import { openQuestions } from '@plant-store/contract';
import type { AnswerRequest } from './request.js';

/** A request that may lack anything. */
export type PartialRequest = { -readonly [Key in keyof AnswerRequest]: AnswerRequest[Key] };

/**
 * Asks in a terminal for what the options don't say. An empty line leaves it out.
 *
 * @param request changed in place
 * @param isInCode whether the code has the answer to a question
 */
export async function askForRest(
  request: PartialRequest,
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
  if (request.question === '') request.question = (await ask('Question')) ?? '';
  const known = openQuestions.find(({ id }) => id === request.question);
  if (known !== undefined && !request.remove) {
    terminal.output.write(`\n${known.question}\nAn answer: ${known.answer}\n\n`);
    const isGiven = request.value !== undefined || (isInCode(known.id) && !request.replace);
    if (!isGiven) {
      const value = await ask(isInCode(known.id) ? 'Value (empty: that of the code)' : 'Value');
      request.value = value === undefined ? undefined : parseValue(value);
    }
    request.who ??= await ask('Who answered');
    request.reason ??= await ask('Why, or where to read it');
  }
  reader.close();
}

/** A value as JSON, or as plain text. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
