import { SIGNING_KEY_FILE } from './development-environment.mjs';

const CONTENT = 'Sample content. It is arbitrary: the fields of a plant are an open question.';

/** The questions whose answer says what content has to be. */
const ABOUT_CONTENT = ['payload', 'plant-fields', 'event-payload-fields'];

/**
 * The command that sends one delivery to a receiver, with what is still open chosen and nothing that is answered.
 *
 * @param {string} baseUrl
 * @param {NodeJS.ProcessEnv} environment of the receiver
 * @param {NodeJS.ProcessEnv} given what the developer has set of it
 * @param {import('@plant-store/contract').Answers} answers
 */
export function sendLine(baseUrl, environment, given, answers) {
  const isArbitrary = ABOUT_CONTENT.every((question) => answers[question] === undefined);
  const { ACCESS_TOKENS_FILE: tokens } = environment;
  const isSigned = answers.signing !== undefined;
  return [
    isArbitrary && `echo '${CONTENT}' |`,
    !tokens && 'ACCESS_TOKEN=<one of ACCESS_TOKENS>',
    isSigned && given.SIGNING_KEYS && 'PLANT_STORE_SIGNING_KEY=<one of SIGNING_KEYS>',
    `npx plant-store send ${isArbitrary ? '-' : '<file of a plant>'} --base-url ${baseUrl}`,
    answers['http-method'] === undefined && '--method POST',
    answers['media-type'] === undefined && '--content-type text/plain',
    'header' in (answers['event-identity'] ?? {}) && '--event-id "sample-$(date +%s)"',
    tokens && `--access-token-file ${tokens}`,
    isSigned && !given.SIGNING_KEYS && `--signing-key-file ${SIGNING_KEY_FILE}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * What of the command a developer is free to choose.
 *
 * @param {import('@plant-store/contract').Answers} answers
 */
export function choices(answers) {
  const open = [
    answers['http-method'] === undefined && 'the HTTP method',
    answers['media-type'] === undefined && 'the media type',
  ].filter(Boolean);
  if (open.length === 0) return '';
  return ` (${open.join(' and ')} ${open.length === 1 ? 'is an open question' : 'are open questions'}: choose)`;
}
