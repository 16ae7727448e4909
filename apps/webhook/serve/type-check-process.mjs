// `tsc --build --watch` in a process of its own: tells its parent of type errors, and builds `dist`.
import ts from 'typescript';

import { replaceFile } from './replace-file.mjs';

const PROJECTS = ['apps/webhook/tsconfig.build.json', 'libs/cli/tsconfig.build.json'];

const system = { ...ts.sys, writeFile: replaceFile };
const names = {
  getCurrentDirectory: system.getCurrentDirectory,
  getCanonicalFileName: (name) => name,
  getNewLine: () => system.newLine,
};
/** `Found 1 error. Watching for file changes.` and `Found {0} errors. …` */
const FOUND = [6193, 6194];

let count = 0;
const host = ts.createSolutionBuilderWithWatchHost(
  system,
  ts.createEmitAndSemanticDiagnosticsBuilderProgram,
  (error) => {
    count += 1;
    process.send({ line: ts.formatDiagnostic(error, names).trimEnd() });
  },
  () => undefined,
  ({ code }) => {
    if (!FOUND.includes(code)) return;
    process.send({ count });
    count = 0;
  },
);
// Without it, the folder of a replaced file is looked at a second later, and compiled again (on Linux).
const watchOptions = { synchronousWatchDirectory: true };
ts.createSolutionBuilderWithWatch(host, PROJECTS, {}, watchOptions).build();
