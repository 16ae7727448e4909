/**
 * `node tools/workspace/review.mjs --base REVISION [--format markdown|github]`: what a reviewer of the
 * OpenAPI document has to know. Where it is not what is stated, with the command that mends it, and whom the
 * changes since REVISION break. Prints nothing when there is nothing to say.
 *
 * It informs, so findings and breaking changes don't fail it: the gate `openapi-diff` fails for the former,
 * and a person decides about the latter. Exits with 2 if something could not run.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from './nx.mjs';
import { reviewPage } from './review-page.mjs';

const document = 'apps/webhook/openapi.json';
const sources = ['--sources', 'apps/webhook/openapi.sources.json'];
const stated = [
  '--baseline',
  'libs/contract/spec/plant-store.openapi.yaml',
  '--overlay',
  'libs/contract/spec/answers.overlay.yaml',
  '--answers',
  'tools/openapi/dist/answers.json',
];
const mend = ['--mend', 'npx nx run webhook:openapi'];

const { base, format } = argumentsGiven();
build();
writeAnswers();
const options = ['--document', document, ...sources, '--format', format];
const diff = openapi('diff', ...stated, ...options, ...mend);
const changes = openapi('changes', '--base', base, ...options);
process.stdout.write(
  format === 'github' ? diff.stdout + changes.stdout : reviewPage({ base, diff, changes }),
);

function argumentsGiven() {
  try {
    const { values } = parseArgs({
      options: { base: { type: 'string' }, format: { type: 'string', default: 'markdown' } },
    });
    if (values.base === undefined) throw new Error('--base is missing');
    if (!['markdown', 'github'].includes(values.format)) throw new Error('--format is markdown or github');
    return { base: values.base, format: values.format };
  } catch (error) {
    return fail(/** @type {Error} */ (error).message);
  }
}

/** What Nx says goes to the standard error, for the standard output is the page. */
function build() {
  const { status } = spawnSync('npx nx build openapi', {
    cwd: root,
    shell: true,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) fail('tools/openapi could not be built');
}

/** Answers that cannot be carried out are none that could be compared. */
function writeAnswers() {
  const { status } = openapi('answers', '--output', 'tools/openapi/dist/answers.json');
  if (status !== 0)
    fail('there are answers that cannot be carried out: node tools/openapi/dist/cli.js answers');
}

/** @param {string[]} args */
function openapi(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/openapi/dist/cli.js', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return status === 0 || status === 1 ? { status, stdout } : fail(stderr.trim());
}

/**
 * @param {string} problem
 * @returns {never}
 */
function fail(problem) {
  console.error(`review: ${problem}`);
  process.exit(2);
}
