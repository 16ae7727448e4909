import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { ModuleKind, ScriptTarget, transpile } from 'typescript';

import { type Result, ROOT } from './scenario/run-program.js';

/**
 * Runs a built program in a process of its own, as if answers.ts said something else.
 *
 * @param answers the text of answers.ts. It may import what the contract may import
 * @param file relative to the repository
 */
export function runUnder(
  answers: string,
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Result {
  const source = transpile(answers, {
    module: ModuleKind.ESNext,
    target: ScriptTarget.ESNext,
    verbatimModuleSyntax: true,
  });
  // Node 26 warns of `register`, and Node 20 has nothing else.
  const preload = ['--disable-warning=DEP0205', '--import', dataUrl(preloaded(source))];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, join(ROOT, file), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env,
    timeout: 30_000,
  });
  return { code: status ?? -1, stdout, stderr };
}

/** Replaces the source of the module, and not the module, so that it imports from its place. */
function preloaded(source: string): string {
  const hooks = `
    const source = ${JSON.stringify(source)};
    export const load = (url, context, next) =>
      new URL(url).pathname.endsWith('/libs/contract/dist/answers.js')
        ? { format: 'module', source, shortCircuit: true }
        : next(url, context);`;
  return `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;
}

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
