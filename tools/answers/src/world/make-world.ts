import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { QuestionId } from '@plant-store/contract';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The built software with some questions answered, each as the example answers have it. */
export interface World {
  readonly folder: string;
  readonly answered: readonly QuestionId[];
  /** The built receiver. */
  readonly receiver: string;
  /** Writes the document of the receiver to the file that is its argument. */
  readonly writeDocument: string;
  /** The command line of the tool that holds the document against the specification. */
  readonly openapi: string;
  remove(): void;
}

/** Packages of the workspace that a world has copies of, by folder. */
const COPIED = [
  'libs/contract',
  'libs/example-answers',
  'libs/sdk',
  'apps/webhook',
  'tools/openapi',
] as const;

/**
 * Makes a world: copies of what was built, in which the answers of the contract are others. Everything else is the
 * repository's own, so that nothing can differ for another reason.
 */
export function makeWorld(answered: readonly QuestionId[]): World {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-world-'));
  linkPackages(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of COPIED) copyBuilt(name, folder);
  tellApart(folder);
  answer(join(folder, 'libs/contract/dist'), answered);
  return {
    folder,
    answered,
    receiver: join(folder, 'apps/webhook/dist/main.js'),
    writeDocument: join(folder, 'apps/webhook/dist/openapi/write-document.js'),
    openapi: join(folder, 'tools/openapi/dist/cli.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Links every installed package, and those of the workspace to where the world has its copies. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === '@plant-store') linkWorkspace(join(to, name));
    else if (name.startsWith('@')) linkPackages(join(from, name), join(to, name));
    else if (!name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  }
}

function linkWorkspace(to: string): void {
  mkdirSync(to);
  for (const name of ['contract', 'example-answers', 'sdk']) {
    symlinkSync(join('..', '..', 'libs', name), join(to, name));
  }
}

function copyBuilt(name: string, folder: string): void {
  const from = join(ROOT, name);
  const to = join(folder, name);
  mkdirSync(dirname(to), { recursive: true });
  for (const part of ['package.json', 'dist', 'bin', 'spec']) {
    if (existsSync(join(from, part))) cpSync(join(from, part), join(to, part), { recursive: true });
  }
  const own = join(from, 'node_modules');
  if (existsSync(own)) symlinkSync(own, join(to, 'node_modules'));
}

/** Gives the copies a version of their own: the compiler takes two of one version for the same. */
function tellApart(folder: string): void {
  for (const name of COPIED) {
    const file = join(folder, name, 'package.json');
    const content = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...content, version: `0.0.0-${basename(folder)}` }));
  }
}

/** Puts the answers in the place of the contract's own: what runs, and its types. */
function answer(dist: string, answered: readonly QuestionId[]): void {
  const head = "import { exampleAnswers } from '@plant-store/example-answers';\n";
  const entries = answered.map((id) => `  '${id}': exampleAnswers['${id}'],\n`).join('');
  const keys = answered.map((id) => `'${id}'`).join(' | ') || 'never';
  writeFileSync(join(dist, 'answers.js'), `${head}export const answers = {\n${entries}};\n`);
  writeFileSync(
    join(dist, 'answers.d.ts'),
    `${head}export declare const answers: Pick<typeof exampleAnswers, ${keys}>;\n`,
  );
}
