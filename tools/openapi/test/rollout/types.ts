import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutableId } from '@plant-store/contract';
import ts from 'typescript';
import { ROOT } from '../built.js';

/** Snippets by name, and the type of the answers under which they are compiled, as `given`. */
export interface Snippets {
  readonly answers: string;
  readonly snippets: Readonly<Record<string, string>>;
}

/** The type of some example answers. */
export function typeOfExamples(answered: readonly ExecutableId[]): string {
  return `{ ${answered.map((id) => `readonly '${id}': (typeof exampleAnswers)['${id}']`).join('; ')} }`;
}

/** Compiles snippets against the types of the built SDK, all in one program. Says of each whether it compiles. */
export function compileUnder(all: readonly Snippets[]): Readonly<Record<string, boolean>>[] {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-types-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const files = all.map(({ answers, snippets }, index) =>
      Object.entries(snippets).map(([name, text], at) => {
        const file = join(folder, `snippet-${index}-${at}.ts`);
        writeFileSync(file, headOf(answers) + text);
        return [name, file] as const;
      }),
    );
    const compiles = compile(files.flat().map(([, file]) => file));
    return files.map((some) => Object.fromEntries(some.map(([name, file]) => [name, compiles(file)])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function headOf(answers: string): string {
  return `import { createSenderUnder } from '${join(ROOT, 'libs/sdk/dist/internal.js')}';
import type { exampleAnswers } from '@plant-store/example-answers';
declare const given: ${answers};
`;
}

function compile(files: readonly string[]): (file: string) => boolean {
  const program = ts.createProgram(files, {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: [],
  });
  return (file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).length === 0;
}
