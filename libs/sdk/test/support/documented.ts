import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@plant-store/test-support';
import ts from 'typescript';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Preloaded with `--import`: the built contract then has no answers. */
const everythingOpen = path('../../../test-support/everything-open.mjs');

/** Arguments of Node.js for a module in a folder of `writeDocumented`, with every question open. */
export function withEverythingOpen(file: string): string[] {
  return ['--import', everythingOpen, file];
}

/**
 * Writes the named code of a page of the package into a folder that ends with the test. Code is named by its first
 * line: `// name.ts` becomes name.js. Packages are those of the workspace, as they are built.
 */
export function writeDocumented(page: string): string {
  const folder = makeFolder();
  symlinkSync(path('../../../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const text = readFileSync(path(`../../${page}`), 'utf8');
  for (const [, code = '', name = ''] of text.matchAll(/```[jt]s\n(\/\/ (\S+\.m?[jt]s)\n.*?)```/gs)) {
    writeFileSync(join(folder, name.replace(/ts$/, 'js')), name.endsWith('ts') ? compile(code) : code);
  }
  return folder;
}

function compile(code: string): string {
  const { ES2022 } = ts.ModuleKind;
  const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true };
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ES2022, target: ts.ScriptTarget.ES2022, ...decorators },
  });
  return outputText;
}
