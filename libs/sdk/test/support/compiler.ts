import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const libraries = fileURLToPath(new URL('../../..', import.meta.url));
/** Where the given files seem to be. */
const folder = join(libraries, 'sdk/test/compiled');

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  experimentalDecorators: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['@plant-store/source'],
};

/** What several calls of {@link compile} in a file parse once. */
const parsed = ts.createDocumentRegistry();

/** What TypeScript says about some files. */
export interface Compiled {
  /** The errors of a file. `code` is the number of the message. */
  errors(file: string): { readonly code: number; readonly text: string }[];
  /** What an editor shows for the first place of a text in a file. */
  hover(file: string, text: string): string;
}

/**
 * Compiles files that exist in memory only, as a strict project that uses the packages of the workspace.
 *
 * @param files the contents by name, such as `send.mts`, also in a folder
 * @param answers the module with the answers of the contract; none while it is left out
 */
export function compile(
  files: Readonly<Record<string, string>>,
  answers = 'export const answers = {};',
): Compiled {
  const paths = Object.keys(files).map((name) => join(folder, name));
  const contents = new Map([
    ...Object.values(files).map((content, index) => [paths[index]!, content] as const),
    [join(libraries, 'contract/src/answers.ts'), answers] as const,
  ]);
  const folders = new Set(paths.map((path) => dirname(path)));
  const read = (path: string): string | undefined => contents.get(path) ?? ts.sys.readFile(path);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => paths,
    getScriptVersion: (path) => contents.get(path) ?? '',
    getScriptSnapshot: (path) => {
      const content = read(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    readFile: read,
    fileExists: (path) => contents.has(path) || ts.sys.fileExists(path),
    directoryExists: (path) => folders.has(path) || ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
    realpath: (path) => (contents.has(path) ? path : ts.sys.realpath!(path)),
  };
  const service = ts.createLanguageService(host, parsed);
  return {
    errors: (file) =>
      [
        ...service.getSyntacticDiagnostics(join(folder, file)),
        ...service.getSemanticDiagnostics(join(folder, file)),
      ].map(({ code, messageText }) => ({
        code,
        text: ts.flattenDiagnosticMessageText(messageText, '\n'),
      })),
    hover: (file, text) => {
      const info = service.getQuickInfoAtPosition(join(folder, file), files[file]!.indexOf(text));
      return ts.displayPartsToString(info?.displayParts);
    },
  };
}

/** The module with the example answers, as those of the contract. */
export function exampleAnswersModule(): string {
  const examples = readFileSync(join(libraries, 'example-answers/src/example-answers.ts'), 'utf8');
  return `${examples}
export declare const answers: {
  readonly [Id in keyof typeof exampleAnswers]: {
    readonly is: (typeof exampleAnswers)[Id];
    readonly who: '…';
    readonly on: '2026-01-31';
    readonly why: '…';
  };
};
`;
}
