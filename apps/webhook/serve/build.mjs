import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { transformFile } from '@swc/core';
import { compilerOptions } from '../../../swc.shared.mjs';
import { replaceFile } from './replace-file.mjs';

/** The folder of the receiver's build. It is as deep as `dist`, so that what is found beside `dist` is found here too. */
const RECEIVER = 'apps/webhook/dist-dev';

/** The packages that the receiver imports, and the folder of each one's build. */
const LIBRARIES = ['command', 'contract', 'handler'].map((name) => ({
  name,
  output: `libs/${name}/dist-dev`,
}));

/** The program that this build makes. */
export const ENTRY = `${RECEIVER}/main.js`;

/** The team's answers in this build. */
export const ANSWERS = 'libs/contract/dist-dev/dist/answers.js';

/** Writes the inspector. */
const INSPECTOR = 'apps/webhook/serve/build-inspector.mjs';

/** The page of the interface. */
const PAGE = 'apps/webhook/dist/api.html';

/** What the receiver consists of: its sources, and those of the packages that it imports. */
const PROJECTS = [
  ...LIBRARIES.map(({ name, output }) => ({ sources: `libs/${name}/src`, output: `${output}/dist` })),
  { sources: 'apps/webhook/src', output: RECEIVER },
  { sources: 'apps/webhook/handler', output: `${RECEIVER}/handler` },
];

/** The commands of the workspace. tsc builds them, and has its own record of what it has built. */
const COMMANDS = [
  'libs/command',
  'libs/contract',
  'libs/handler',
  'libs/sdk',
  'libs/cli',
  'apps/webhook',
].map((project) => ({
  sources: `${project}/src`,
  output: `${project}/dist`,
  record: `${project}/dist/tsconfig.build.tsbuildinfo`,
}));

/**
 * The folders whose changes call for another build, each with those below it. On Linux, `fs.watch` with `recursive` of
 * Node.js misses a file that is replaced a second time.
 */
export const sourceFolders = () =>
  PROJECTS.flatMap(({ sources }) => [
    sources,
    ...readdirSync(sources, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name)),
  ]);

/**
 * Compiles the receiver with swc, which doesn't look at types, into folders of its own: tsc's are left alone. Later
 * calls compile what has changed.
 */
export class Build {
  /** When each source was changed that is compiled, by its path. */
  #compiled = new Map();

  /**
   * @returns {Promise<string[]>} the sources that were compiled or removed
   * @throws {Error} that shows a line which can't be parsed; a later call compiles it again
   */
  async run() {
    if (this.#compiled.size === 0) prepare();
    const found = PROJECTS.flatMap(({ sources, output }) => sourcesIn(sources, output));
    const changed = found.filter(({ source, changedAt }) => this.#compiled.get(source) !== changedAt);
    const removed = [...this.#compiled.keys()].filter((source) => !existsSync(source));
    for (const source of removed) this.#compiled.delete(source);
    await compile(changed);
    for (const { source, changedAt } of changed) this.#compiled.set(source, changedAt);
    return [...changed.map(({ source }) => source), ...removed];
  }
}

/** In a fresh clone, builds the commands that the guide prints. tsc builds them again, once it has checked the types. */
export async function buildCommands() {
  const missing = COMMANDS.filter(({ record }) => !existsSync(record));
  await compile(missing.flatMap(({ sources, output }) => sourcesIn(sources, output)));
}

/** Writes the pages that the receiver serves, before it starts. That of the interface takes long: only in a fresh clone. */
export async function buildPages() {
  const commands = [];
  if (existsSync(INSPECTOR)) commands.push(`node ${INSPECTOR}`);
  if (!existsSync(PAGE)) commands.push(`npm run --silent openapi -- html --output ${PAGE}`);
  const run = (command) => once(spawn(command, { shell: true, stdio: 'inherit' }), 'close');
  await Promise.all(commands.map(run));
}

/** Makes the folders, and lets the receiver in them import the packages in them. */
function prepare() {
  rmSync(RECEIVER, { recursive: true, force: true });
  mkdirSync(`${RECEIVER}/node_modules/@plant-store`, { recursive: true });
  for (const { name, output } of LIBRARIES) {
    rmSync(output, { recursive: true, force: true });
    mkdirSync(output, { recursive: true });
    cpSync(`libs/${name}/package.json`, `${output}/package.json`);
    symlinkSync(resolve(output), `${RECEIVER}/node_modules/@plant-store/${name}`, 'junction');
  }
}

/** The sources of a folder and below, without tests. */
function sourcesIn(folder, output) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => /(?<!\.test|\.d)\.ts$/.test(path))
    .map((path) => {
      const source = join(folder, path);
      return { source, output: join(output, path.replace(/ts$/, 'js')), changedAt: statSync(source).mtimeMs };
    });
}

/** Compiles a source. What swc says about a fault ends with how swc got there. */
async function transform(source) {
  try {
    return await transformFile(source, {
      ...compilerOptions,
      sourceMaps: true,
      sourceFileName: resolve(source),
    });
  } catch (error) {
    throw new Error(error.message.split('\n\nCaused by:', 1)[0].trimEnd(), { cause: error });
  }
}

/** Writes nothing unless everything can be parsed: what runs may start again from what is there. */
async function compile(files) {
  const results = await Promise.all(files.map(({ source }) => transform(source)));
  for (const [index, { code, map }] of results.entries()) {
    const { output } = files[index];
    mkdirSync(dirname(output), { recursive: true });
    replaceFile(`${output}.map`, map);
    replaceFile(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
  }
}
