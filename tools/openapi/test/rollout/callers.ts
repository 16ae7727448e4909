import { type AnswerValues, type ExecutableId, openQuestions } from '@plant-store/contract';
import { type Answer, answersIn, besideOf, executable, type State, statesOf } from './states.js';
import { compileUnder, typeOfExamples } from './types.js';
import { callerOf, SAMPLE_MARK, waysOf } from './ways.js';

/** The executable questions whose answer changes the types of a sender. */
const inTypes = executable.filter((id) => {
  const { shows } = openQuestions.find((question) => question.id === id)!;
  return (shows as readonly string[]).includes('types');
});

/**
 * Compiles the code of a caller of each state with the types of the built SDK in each other state of the question.
 *
 * @returns whether the code for one state of a question compiles with the types of another
 */
export function observeCallers(): (id: ExecutableId, code: Answer, types: Answer) => boolean {
  const all = inTypes.flatMap((id) => statesOf(id).map((types) => ({ id, types })));
  const compiled = compileUnder(
    all.map(({ id, types }) => ({
      answers: typeOf(types),
      snippets: Object.fromEntries(statesOf(id).map((code) => [code.answer, codeOf(code)])),
    })),
  );
  return (id, code, types) => {
    const index = all.findIndex((one) => one.id === id && one.types.answer === types);
    return index === -1 || compiled[index]![code] === true;
  };
}

function typeOf({ id, answer }: State): string {
  return typeOfExamples(answer === 'open' ? besideOf(id) : [...besideOf(id), id]);
}

/** The code of a caller who passes what the types ask for, and uses the status. */
function codeOf(state: State): string {
  const answers = answersIn(state);
  const { options, send } = callerOf(answers, 'event-1');
  const sent = waysOf(state.id, answers).filter(({ standIn }) => standIn === undefined);
  const lines = sent.map(({ plant = () => ({ name: SAMPLE_MARK }), send: more }) => {
    const given = literal({ ...send, ...more });
    return `void sender.send(${literal(plant(SAMPLE_MARK))}${given === '{}' ? '' : `, ${given}`}).then(({ status }) => {
  const seen: ${statusType(answers)} = status;
  return seen;
});`;
  });
  const required = {
    accessToken: 'example-1',
    ...(answers['base-address'] === undefined && { baseUrl: 'https://receiver.example' }),
    ...options,
  };
  return `const sender = createSenderUnder(${literal(required)}, { answers: given });
${lines.join('\n')}
`;
}

function statusType({ 'receiver-response': response }: AnswerValues): string {
  return String(response?.status ?? 'number');
}

/** An object as source. A function becomes an encoder. */
function literal(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) =>
    typeof member === 'function'
      ? `${name}: (plant: unknown) => ({ content: JSON.stringify(plant) })`
      : `${name}: ${literal(member)}`,
  );
  return `{ ${members.join(', ')} }`.replace('{  }', '{}');
}
