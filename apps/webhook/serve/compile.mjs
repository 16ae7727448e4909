import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { transformFile } from '@swc/core';
import { compilerOptions, templateOptions } from '../../../swc.shared.mjs';

/** The folder of the receiver. It is as deep as `dist`, so that what is found beside `dist` is found here too. */
export const RECEIVER = 'apps/webhook/dist-dev';

/** The packages that the receiver imports. */
const LIBRARIES = ['command', 'contract', 'handler'];

/** What the receiver consists of: sources, and where they are compiled to. tsc's own folders are left alone. */
const PARTS = [
  ...LIBRARIES.map((name) => ({ sources: `libs/${name}/src`, output: `libs/${name}/dist-dev/dist` })),
  { sources: 'apps/webhook/src', output: RECEIVER },
  { sources: 'apps/webhook/handler', output: `${RECEIVER}/handler` },
];

/** The commands that the guide prints, and what they import. tsc compiles them. */
const COMMANDS = [...LIBRARIES.map((name) => `libs/${name}`), 'libs/sdk', 'libs/cli', 'apps/webhook'];

/** When each source was changed that is compiled, by its path. */
const compiled = new Map();

/**
 * Compiles what has changed since the last call, all of it at first, with swc, which doesn't look at types.
 *
 * @returns {Promise<string[]>} the sources that were changed or removed
 * @throws {Error} that shows a line which can't be parsed. Then nothing was written.
 */
export async function compile() {
  if (compiled.size === 0) prepare();
  const sources = PARTS.flatMap((part) => sourcesIn(part));
  const changed = sources.filter(({ path, changedAt }) => compiled.get(path) !== changedAt);
  const there = new Set(sources.map(({ path }) => path));
  const removed = [...compiled.keys()].filter((path) => !there.has(path));
  await writeAll(changed);
  for (const { path, changedAt } of changed) compiled.set(path, changedAt);
  for (const path of removed) compiled.delete(path);
  return [...changed.map(({ path }) => path), ...removed];
}

/**
 * The answers that were compiled last, as far as the receiver carries them out.
 *
 * @returns {Promise<import('@plant-store/contract').AnswerValues>}
 */
export async function compiledAnswers() {
  const url = pathToFileURL(resolve('libs/contract/dist-dev/dist/answers.js'));
  // Node.js keeps what it has imported, by its URL.
  const { answers } = await import(`${url.href}?read=${Date.now()}`);
  const { valuesOf } = await import(new URL('answer-types.js', url).href);
  return valuesOf(answers);
}

/** Compiles the commands in a fresh clone. tsc does it again, once it has checked the types. */
export async function compileCommands() {
  const missing = COMMANDS.filter((project) => !existsSync(`${project}/dist/tsconfig.build.tsbuildinfo`));
  await writeAll(
    missing.flatMap((project) => sourcesIn({ sources: `${project}/src`, output: `${project}/dist` })),
  );
}

/** Makes the folders, and lets the receiver in them import the packages in them. */
function prepare() {
  rmSync(RECEIVER, { recursive: true, force: true });
  mkdirSync(`${RECEIVER}/node_modules/@plant-store`, { recursive: true });
  for (const name of LIBRARIES) {
    const folder = `libs/${name}/dist-dev`;
    rmSync(folder, { recursive: true, force: true });
    cpSync(`libs/${name}/package.json`, `${folder}/package.json`);
    symlinkSync(resolve(folder), `${RECEIVER}/node_modules/@plant-store/${name}`, 'junction');
  }
}

/** The sources of a folder and below, without tests. */
function sourcesIn({ sources, output }) {
  return readdirSync(sources, { recursive: true })
    .filter((path) => /(?<!\.test|\.d)\.tsx?$/.test(path))
    .map((name) => {
      const path = join(sources, name);
      return { path, output: join(output, name.replace(/tsx?$/, 'js')), changedAt: statSync(path).mtimeMs };
    });
}

async function writeAll(sources) {
  const results = await Promise.all(sources.map(({ path }) => transform(path)));
  for (const [index, { code, map }] of results.entries()) {
    const { output } = sources[index];
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(`${output}.map`, map);
    writeFileSync(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
  }
}

/** Compiles a source. What swc says about a fault ends with how swc got there. */
async function transform(path) {
  try {
    const options = path.endsWith('x') ? templateOptions : compilerOptions;
    return await transformFile(path, { ...options, sourceMaps: true, sourceFileName: resolve(path) });
  } catch (error) {
    throw new Error(error.message.split('\n\nCaused by:', 1)[0].trimEnd(), { cause: error });
  }
}
