import { SIGNING_KEY_FILE } from './environment.mjs';

const CONTENT = 'Sample content. It is arbitrary: the fields of a plant are an open question.';

/** The questions whose answer says what content has to be. */
const ABOUT_CONTENT = ['payload', 'plant-fields', 'event-payload-fields'];

/**
 * What a developer does with a receiver that listens: where deliveries go, how to send one, how to look at it.
 *
 * @param {{ url: string, operations: string, inbox: string }} listening the receiver's log entry
 * @param {NodeJS.ProcessEnv} given the developer's environment
 * @param {{ environment: NodeJS.ProcessEnv, answers: import('@plant-store/contract').AnswerValues }} running what the
 * receiver was started with
 */
export function guide({ url, operations, inbox }, given, { environment, answers }) {
  return `
Deliveries go to  ${url}
They are kept in  ${inbox}
Look at them at   ${operations}

To send one, in a second terminal in this folder${choices(answers)}:

${preparations(environment, given, answers)}  ${sendLine(url, environment, given, answers)}

To list what was kept, and to show a delivery by its ID:

${lookLines(environment)}

A change of the source restarts the receiver. Ctrl+C stops it.
`;
}

/** The command that sends one delivery: it chooses what is an open question and leaves out what is answered. */
function sendLine(url, environment, given, answers) {
  const { ACCESS_TOKENS_FILE: tokens } = environment;
  return [
    isArbitrary(answers) && `echo '${CONTENT}' |`,
    `npx plant-store send ${isArbitrary(answers) ? '-' : 'plant.json'}`,
    `--base-url ${quote(reachable(url))}`,
    answers['http-method'] === undefined && '--method POST',
    answers['media-type'] === undefined && '--content-type text/plain',
    'header' in (answers['event-identity'] ?? {}) && '--event-id "sample-$(date +%s)"',
    tokens && `--access-token-file ${quote(tokens)}`,
    answers.signing !== undefined && !given.SIGNING_KEYS && `--signing-key-file ${SIGNING_KEY_FILE}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** What the command needs and this program can't know or mustn't print: comments of the shell before the command. */
function preparations(environment, given, answers) {
  return [
    !isArbitrary(answers) && 'Write a plant to plant.json first.',
    !environment.ACCESS_TOKENS_FILE && 'Export ACCESS_TOKEN first: one of your ACCESS_TOKENS.',
    answers.signing !== undefined &&
      given.SIGNING_KEYS &&
      'Export PLANT_STORE_SIGNING_KEY first: one of your SIGNING_KEYS.',
  ]
    .filter(Boolean)
    .map((step) => `  # ${step}\n`)
    .join('');
}

/** The parts of the command that a developer is free to choose. */
function choices(answers) {
  const open = [
    answers['http-method'] === undefined && 'the HTTP method',
    answers['media-type'] === undefined && 'the media type',
  ].filter(Boolean);
  if (open.length === 0) return '';
  return ` (${open.join(' and ')} ${open.length === 1 ? 'is an open question' : 'are open questions'}: choose)`;
}

/** The commands that list and show deliveries. The URL of a database may have a password, so it isn't printed. */
function lookLines({ INBOX_URL: url = '' }) {
  const isDatabase = /^postgres(ql)?:/.test(url);
  const option = url === '' || isDatabase ? '' : ` --inbox ${quote(url)}`;
  return [
    ...(isDatabase ? ['# Export INBOX_URL first: the one with which you ran npm start.'] : []),
    `npx plant-inbox list${option}`,
    `npx plant-inbox show 1${option}`,
  ]
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Whether no answer says what content has to be. */
function isArbitrary(answers) {
  return ABOUT_CONTENT.every((question) => answers[question] === undefined);
}

/** The origin under which this machine reaches a receiver, which may listen on all addresses. */
function reachable(url) {
  const { origin } = new URL(url);
  return origin.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]');
}

/** A word of a shell command. */
function quote(word) {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
