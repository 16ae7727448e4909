/**
 * `npm run answer`: enters an answer on both sides, and writes every generated file. In a terminal it asks for what the
 * options don't say. docs/answering.md describes it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { enterInSource } from './answer/answers-source.mjs';
import { faultsOf } from './answer/faults.mjs';
import { askForRest, HELP, readOptions } from './answer/options.mjs';
import { environment, root } from './nx.mjs';

const CODE = 'libs/contract/src/answers.ts';
const OVERLAY = 'libs/contract/spec/answers.overlay.yaml';
const DIST = 'apps/webhook/dist';
const BUILD = /** @type {const} */ (['nx', 'run-many', '-t', 'build', '-p', 'openapi', 'webhook', 'answers']);

const options = tryTo(2, () => readOptions(process.argv.slice(2)));
if (options.help) {
  console.log(HELP);
  process.exit();
}
runOrFail(...BUILD);
/** @type {typeof import('@plant-store/contract')} */
const contract = await importBuilt('libs/contract/dist/index.js');
const { isDate, readOverlay } = await importBuilt('tools/openapi/dist/overlay/read-overlay.js');
const { replaceFile } = await importBuilt('tools/openapi/dist/commands/page.js');
const { SourceFiles } = await importBuilt('tools/openapi/dist/read/source-files.js');
const { answerInWords, effectOf } = await importBuilt('tools/answers/dist/effects.js');
const { answers, openQuestions } = contract;
/** @type {Record<string, unknown>} */
const plain = contract.plainAnswers(answers);

if (process.stdin.isTTY) {
  const terminal = { input: process.stdin, output: process.stdout };
  await askForRest(options, openQuestions, (id) => id in answers, terminal);
}
const { question = '', value, remove } = options;
const before = [CODE, OVERLAY].map((file) => ({ file, text: textOf(file) }));
const [code = '', overlay] = before.map(({ text }) => text);
const signed = overlay === undefined ? [] : questionsIn(overlay);
const isWritten = remove || value !== undefined;
/** What this run wrote to answers.ts. @type {string | undefined} */
let enteredCode;
const ids = openQuestions.map(({ id }) => id);
const faults = faultsOf({ options, contract, signed, isDate });
if (faults.length > 0) fail(2, faults.join('\n'));

// Ctrl-C ends the step that runs. Then everything is put back.
process.on('SIGINT', () => {});
if (isWritten) await enterInCode();
enterInOverlay();
showAnswer();
generate();
checkBothSides();
console.log('\nNext: git diff, npm test, npm run check, and a version plan (docs/releasing.md).');

/**
 * @param {string} text of the overlay
 * @returns {string[]}
 */
function questionsIn(text) {
  /** @type {{ question: string }[]} */
  const actions = tryTo(2, () => readOverlay(new SourceFiles(() => text), OVERLAY));
  return actions.map(({ question }) => question);
}

async function enterInCode() {
  const file = join(root, CODE);
  const source = tryTo(1, () => enterInSource(code, question, remove ? undefined : value, ids));
  const text = await format(source, { ...(await resolveConfig(file)), filepath: file });
  tryTo(1, () => replaceFile(file, text));
  enteredCode = text;
}

function enterInOverlay() {
  runOrPutBack(...BUILD);
  const files = {
    document: `${DIST}/openapi.json`,
    answers: `${DIST}/answers.json`,
    without: `${DIST}/without`,
  };
  runOrPutBack('node', `${DIST}/openapi/write-document.js`, files.document, '--without', files.without);
  runOrPutBack('node', 'tools/openapi/dist/cli.js', 'answers', '--output', files.answers);
  const { who = '', date, reason = '' } = options;
  const named = {
    baseline: 'libs/contract/spec/plant-store.openapi.yaml',
    overlay: OVERLAY,
    ...files,
    question,
    ...(remove ? {} : { who, date, reason }),
  };
  const args = Object.entries(named).map(([name, text]) => `--${name}=${text}`);
  runOrPutBack('node', 'tools/openapi/dist/cli.js', 'enter', ...args, ...(remove ? ['--remove'] : []));
}

function showAnswer() {
  const { title } = openQuestions.find(({ id }) => id === question) ?? { title: '' };
  const { [question]: inCode, ...others } = plain;
  // Without a value, the code had the answer before anybody signed it.
  const [old, now] = isWritten ? [inCode, remove ? undefined : value] : [undefined, inCode];
  const { receiver, sender, rollout, step } = effectOf(question, old, now, others);
  const lines = {
    receiver: receiver ?? 'nothing changes',
    sender: sender ?? 'nothing changes',
    'roll out': `${rollout.order}. ${rollout.reason}`,
    version: step,
  };
  console.log(`${title} (${question}): ${now === undefined ? 'open again' : answerInWords(question, now)}`);
  for (const [label, line] of Object.entries(lines)) console.log(`  ${label.padEnd(10)}${line}`);
  console.log();
  for (const { file, text } of before) {
    console.log(`${file}  ${textOf(file) === text ? 'unchanged' : 'changed'}`);
  }
}

function generate() {
  const generator = join(root, 'tools/workspace/generate.mjs');
  const { status } = spawnSync(process.execPath, [generator], { stdio: 'inherit' });
  if (status !== 0) fail(1, 'The answer is entered on both sides. Fix this, then run: npm run generate');
}

/** Another answer may have been entered by hand on one side. */
function checkBothSides() {
  const { status, output } = run('nx', 'run', 'webhook:openapi-diff');
  if (status !== 0) fail(1, `${output}\nThe answer is entered. The gate finds the above.`);
}

/**
 * @template Result
 * @param {number} code of the exit if it throws
 * @param {() => Result} act
 */
function tryTo(code, act) {
  try {
    return act();
  } catch (error) {
    const [line = ''] = /** @type {Error} */ (error).message.split('\n');
    return fail(code, line);
  }
}

/** @param {string} file */
function importBuilt(file) {
  return import(pathToFileURL(join(root, file)).href);
}

/** @param {string} file */
function textOf(file) {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined;
}

/** @param {[string, ...string[]]} command */
function runOrPutBack(...command) {
  const { status, output } = run(...command);
  if (status === 0) return;
  // `openapi enter` writes the overlay last, and as a whole.
  if (enteredCode !== undefined) {
    if (textOf(CODE) !== enteredCode)
      fail(1, `${output}\n${CODE} was changed meanwhile and is not put back. Take the answer out by hand.`);
    tryTo(1, () => replaceFile(join(root, CODE), code));
  }
  fail(1, `${output}\nNothing is changed.`);
}

/** @param {[string, ...string[]]} command */
function runOrFail(...command) {
  const { status, output } = run(...command);
  if (status !== 0) fail(1, output);
}

/** @param {[string, ...string[]]} command */
function run(...[command, ...args]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    ...{ cwd: root, env: environment, encoding: 'utf8', maxBuffer: 2 ** 28 },
  });
  return { status, output: `${stdout}${stderr}`.trim() };
}

/**
 * @param {number} code
 * @param {string} message
 * @returns {never}
 */
function fail(code, message) {
  console.error(message);
  process.exit(code);
}
