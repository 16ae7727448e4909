/** The questions that are answered with a schema, which is code. */
const SCHEMAS = ['plant-fields', 'event-payload-fields'];

/**
 * @typedef {object} Contract
 * @property {readonly { id: string }[]} openQuestions
 * @property {Readonly<Record<string, unknown>>} answers
 * @property {(answers: Record<string, unknown>) => readonly string[]} answerFaults
 *
 * @typedef {object} Given
 * @property {import('./options.mjs').Options} options
 * @property {Contract} contract with the answers of the code
 * @property {readonly string[]} signed the questions that the overlay answers
 * @property {(date: string) => boolean} isDate
 */

/**
 * Every fault of the options, one line each.
 *
 * @param {Given} given
 * @returns {string[]}
 */
export function faultsOf(given) {
  const { question = '', remove } = given.options;
  const ids = given.contract.openQuestions.map(({ id }) => id);
  const provenance = remove ? [] : faultsOfProvenance(given);
  if (question === '') return ['--question is missing', ...provenance];
  if (!ids.includes(question)) {
    return [`--question: there is no ${question}. The questions: ${ids.join(', ')}`, ...provenance];
  }
  return [...(remove ? faultsOfRemoval(given) : faultsOfValue(given)), ...provenance];
}

/** @param {Given} given */
function faultsOfRemoval({ options: { question = '' }, contract: { answers, answerFaults }, signed }) {
  if (!(question in answers) && !signed.includes(question)) return [`--remove: ${question} has no answer`];
  const others = Object.fromEntries(Object.entries(answers).filter(([id]) => id !== question));
  return answerFaults(others).map((fault) => `--remove: another answer needs this one. ${fault}`);
}

/** @param {Given} given */
function faultsOfValue({ options: { question = '', value, replace }, contract, signed }) {
  const isInCode = question in contract.answers;
  if (SCHEMAS.includes(question) && (value !== undefined || !isInCode)) {
    return [
      `--value: ${question} is answered with a schema, which is code. Write it in libs/contract/src/answers.ts as docs/answering.md says, then run this again without --value`,
    ];
  }
  if (value === undefined && !isInCode) return ['--value is missing'];
  const isThere = signed.includes(question) || (value !== undefined && isInCode);
  const answers = value === undefined ? contract.answers : { ...contract.answers, [question]: value };
  return [
    ...(isThere && !replace ? [`${question} has an answer already. To replace it, add --replace`] : []),
    ...contract.answerFaults(answers).map((fault) => `--value: ${fault}`),
  ];
}

/** @param {Given} given */
function faultsOfProvenance({ options: { who = '', date, reason = '' }, isDate }) {
  return [
    ...(who.trim() === '' ? ['--who is missing: who answered'] : []),
    ...(isDate(date) ? [] : [`--date must be a day such as 2026-01-31 (got ${date})`]),
    ...(reason.trim() === '' ? ['--reason is missing: why, or where to read it'] : []),
  ];
}
