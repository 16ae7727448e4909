import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Answers, answers, plainAnswers } from '@plant-store/contract';
import { ANSWERS_SOURCE, codeAnswersOf } from './gate/code-answers.js';
import { gate, type GateReport } from './gate/gate.js';
import { type Implied, impliedBy } from './gate/implied.js';
import { readText, type Source } from './gate/read.js';
import { systemReason, ToolError } from './tool-error.js';

/** The files of this repository that the tool reads and writes, relative to its root. */
export const FILES = {
  baseline: 'libs/contract/spec/plant-store.openapi.yaml',
  overlay: 'libs/contract/spec/answers.overlay.yaml',
  answers: ANSWERS_SOURCE,
  document: 'apps/webhook/openapi.json',
};

/** The command that writes the document. */
export const GENERATE_DOCUMENT = 'npx nx run webhook:openapi';

/** A file, or nothing if there is none. @throws ToolError `unreadable` */
export function readIfThere(file: string): Source | undefined {
  return existsSync(file) ? readSource(file) : undefined;
}

/** @throws ToolError `unreadable` */
export function readSource(file: string): Source {
  return { text: readText(file), file };
}

/** The files that the gate compares with the baseline of this repository. */
export interface Compared {
  /** Plain answers of the code, by question. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The text of the document. */
  readonly document: string;
  /** The text of the overlay; undefined if there is none. */
  readonly overlay?: string | undefined;
}

/** What is in the working tree now. @throws ToolError `unreadable` */
export function committedSources(): Compared {
  return {
    answers: plainAnswers(answers),
    document: readSource(FILES.document).text,
    overlay: readIfThere(FILES.overlay)?.text,
  };
}

/** What the gate finds. @throws ToolError if a text cannot be read or understood */
export function gateOf({ answers, document, overlay }: Compared): GateReport {
  return gate({
    baseline: readSource(FILES.baseline),
    document: { text: document, file: FILES.document },
    overlay: overlay === undefined ? undefined : { text: overlay, file: FILES.overlay },
    answers: codeAnswersOf(answers),
  });
}

/**
 * Writes a file whole: it has the old text or the new one, also after a full disk. Undefined removes it.
 *
 * @throws ToolError `unwritable`
 */
export function replaceFile(file: string, text: string | undefined): void {
  const fresh = `${file}.new`;
  try {
    if (text === undefined) return rmSync(file, { force: true });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(fresh, text);
    renameSync(fresh, file);
  } catch (error) {
    if (existsSync(fresh)) rmSync(fresh);
    throw new ToolError('unwritable', `${file}: cannot be written: ${systemReason(error)}`, { cause: error });
  }
}

let evaluations = 0;

/**
 * What answers.ts says now. Only a process that runs from the sources can read it.
 *
 * @throws ToolError `bad-answers`, or `usage` if it runs from what was built
 */
export async function readAnswers(): Promise<Answers> {
  if (import.meta.url.endsWith('.js'))
    throw new ToolError('usage', 'answers are entered from the sources. Run: npm run answer -- --help');
  const url = pathToFileURL(resolve(FILES.answers));
  // A module is evaluated once for each address.
  evaluations += 1;
  url.searchParams.set('evaluation', String(evaluations));
  try {
    return ((await import(url.href)) as { answers: Answers }).answers;
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    throw new ToolError('bad-answers', `${FILES.answers}: ${line ?? ''}`, { cause: error });
  }
}

/** The document, and what each answer adds to it, by question. */
export interface Documents {
  readonly document: string;
  readonly implied: ReadonlyMap<string, Implied>;
}

/** The target of the application that writes its document. Nobody imports an application. */
const WRITE_DOCUMENT = 'apps/webhook/src/openapi/write-document.ts';

/** Tells tsx that decorators are those of TypeScript. It leaves out their metadata, so what is injected has `@Inject`. */
const TSX = { TSX_TSCONFIG_PATH: 'apps/webhook/src/tsconfig.json' };

/** The documents of what answers.ts says now. It takes seconds. @throws ToolError `bad-answers` */
export async function makeDocuments(): Promise<Documents> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const [file, without] = [join(folder, 'openapi.json'), join(folder, 'without')];
    const sources = ['--conditions', '@plant-store/source', '--import', 'tsx'];
    const { code, output } = await runNode([...sources, WRITE_DOCUMENT, file, '--without', without], TSX);
    if (code !== 0) throw new ToolError('bad-answers', output || 'The document was not written.');
    const document = { ...readSource(file), file: FILES.document };
    const others = readdirSync(without).map(
      (name) => [basename(name, '.json'), readSource(join(without, name))] as const,
    );
    return {
      document: document.text,
      implied: impliedBy(readSource(FILES.baseline), document, new Map(others)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a program of Node, and returns its exit code and what it printed. @param env instead of this process's */
export function runNode(
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((done) =>
    execFile(process.execPath, args, { ...(env && { env }), maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1) || 1, output: (stdout + stderr).trim() }),
    ),
  );
}
