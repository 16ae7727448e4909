/**
 * `node tools/workspace/review.mjs --base REVISION [--format markdown|github]`: a page for the reviewer of the OpenAPI
 * document. It lists what the document states without a source, with the command that fixes it, and which peers the
 * changes since REVISION break. Prints nothing when there is nothing to list.
 *
 * Findings and breaking changes don't fail it: the gate `openapi-diff` fails for findings, and a person decides about
 * breaking changes. Exits with 2 if a command could not run.
 */
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { environment, root } from './nx.mjs';

const answers = 'tools/openapi/dist/answers.json';
const stated = [
  ['--baseline', 'libs/contract/spec/plant-store.openapi.yaml'],
  ['--overlay', 'libs/contract/spec/answers.overlay.yaml'],
  ['--answers', answers],
  ['--fix-with', 'npx nx run webhook:openapi'],
].flat();

/**
 * The page in Markdown, from what the two commands of tools/openapi printed. Empty when there is nothing to list.
 *
 * @param {{ base: string, diff: { status: number | null, stdout: string }, changes: { stdout: string } }} input
 * @returns {string}
 */
export function reviewPage({ base, diff, changes }) {
  const parts = [];
  if (diff.status === 1) parts.push(`## The document differs from what is stated\n\n${diff.stdout}`);
  if (changes.stdout !== '') {
    parts.push(`## Changes for senders and receivers since ${base}\n\n${changes.stdout}`);
  }
  return parts.join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { base, format } = readArguments();
  // The output of Nx goes to stderr: stdout is the page.
  const { status } = spawnSync('nx', ['build', 'openapi'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) fail('tools/openapi could not be built');
  if (openapi('answers', '--output', answers).status !== 0)
    fail('libs/contract/src/answers.ts has faults: node tools/openapi/dist/cli.js answers');
  const options = [
    '--document',
    'apps/webhook/openapi.json',
    '--sources',
    'apps/webhook/openapi.sources.json',
  ];
  const diff = openapi('diff', ...stated, ...options, '--format', format);
  const changes = openapi('changes', '--base', base, ...options, '--format', format);
  process.stdout.write(
    format === 'github' ? diff.stdout + changes.stdout : reviewPage({ base, diff, changes }),
  );
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: { base: { type: 'string' }, format: { type: 'string', default: 'markdown' } },
    });
    if (values.base === undefined) throw new Error('--base is missing');
    if (!['markdown', 'github'].includes(values.format))
      throw new Error('--format must be markdown or github');
    return { base: values.base, format: values.format };
  } catch (error) {
    return fail(/** @type {Error} */ (error).message);
  }
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
