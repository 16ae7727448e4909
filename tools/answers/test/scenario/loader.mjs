/**
 * Module hooks of Node for the process that observes scenarios (see observe.ts):
 * - A module of the workspace that is imported with `?scenario=<questions>` passes the scenario on to every workspace
 *   module that it imports. So each scenario has its own instances of what was built, and all share what is installed.
 * - In a scenario, `answers.js` of the contract has the example answers to these questions. A question with the name
 *   of another answer, as `question:name`, has that one (see other-answers.ts).
 *   `accepts.js` accepts the answers with a plus before them, as `+question` or `+question:name`, and nothing else.
 * - TypeScript of this folder is compiled as Jest compiles it.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const ROOT = new URL('../../../../', import.meta.url).href;
const ANSWERS = `${ROOT}libs/contract/dist/answers.js`;
const ACCEPTS = `${ROOT}libs/contract/dist/accepts.js`;
const OTHER_ANSWERS = new URL('other-answers.ts', import.meta.url).href;

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  const parent = context.parentURL ?? '';
  const isSource = isTypeScript(parent) && specifier.startsWith('.');
  const resolved = await next(isSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  const scenario = scenarioOf(resolved.url) ?? scenarioOf(parent);
  return scenario === null || !isOfWorkspace(resolved.url) ? resolved : withScenario(resolved, scenario);
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  const scenario = scenarioOf(url);
  if (scenario !== null && url.startsWith(ANSWERS)) return moduleOf(answersOf(scenario));
  if (scenario !== null && url.startsWith(ACCEPTS)) return moduleOf(acceptsOf(scenario));
  return isTypeScript(url) ? moduleOf(await compile(fileURLToPath(url))) : next(url, context);
}

/** @param {string} url */
function isTypeScript(url) {
  return url.startsWith('file:') && new URL(url).pathname.endsWith('.ts');
}

/** @param {string} url */
function scenarioOf(url) {
  return url.startsWith(ROOT) ? new URL(url).searchParams.get('scenario') : null;
}

/** @param {string} url */
function isOfWorkspace(url) {
  return url.startsWith(ROOT) && !url.includes('/node_modules/');
}

/**
 * @param {import('node:module').ResolveFnOutput} resolved
 * @param {string} scenario
 */
function withScenario(resolved, scenario) {
  const url = new URL(resolved.url);
  url.searchParams.set('scenario', scenario);
  return { ...resolved, url: url.href };
}

/** @param {string} scenario */
function answersOf(scenario) {
  const words = scenario.split(' ').filter((word) => /^\w/.test(word));
  const entries = words.map((word) => {
    const [id, name] = word.split(':');
    return `'${id}': ${name === undefined ? `exampleAnswers['${id}']` : `otherAnswers['${id}']['${name}']`}`;
  });
  const others = scenario.includes(':') ? `import { otherAnswers } from '${OTHER_ANSWERS}';` : '';
  return `import { exampleAnswers } from '@plant-store/example-answers';
${others}
export const answers = { ${entries.join(', ')} };
`;
}

/** @param {string} scenario */
function acceptsOf(scenario) {
  const words = scenario.split(' ').flatMap((word) => (word.startsWith('+') ? [word.slice(1)] : []));
  return words.length === 0
    ? 'export const accepts = {};'
    : `import { acceptsOf } from '${OTHER_ANSWERS}';
export const accepts = acceptsOf(${JSON.stringify(words)});
`;
}

/** @param {string} file */
async function compile(file) {
  const source = await readFile(file, 'utf8');
  const { code } = await transform(source, {
    filename: file,
    swcrc: false,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  });
  return code;
}

/** @param {string} source */
function moduleOf(source) {
  return { format: /** @type {const} */ ('module'), source, shortCircuit: true };
}
