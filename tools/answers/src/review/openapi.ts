import { spawnSync } from 'node:child_process';

/** A line of a file. */
export interface Position {
  readonly file: string;
  readonly line?: number;
}

/** What `openapi diff --format json` prints, as far as a review needs it. */
export interface GateReport {
  readonly findings: readonly {
    readonly state: string;
    readonly name: string;
    readonly specification?: Position;
    readonly document?: Position;
    readonly producer?: Position;
    readonly answer?: Position;
    readonly advice: readonly string[];
  }[];
  readonly answers: readonly {
    readonly state: string;
    readonly question: string;
    readonly overlay?: Position;
    readonly code?: Position;
    /** The JSON Pointers of what the answer adds to the document. */
    readonly facts: readonly string[];
    readonly advice: readonly { readonly text: string }[];
  }[];
}

/** What `openapi changes --format json` prints, as far as a review needs it. */
export interface ChangesReport {
  readonly changes: readonly {
    readonly id: string;
    readonly what: string;
    readonly name: string;
    readonly pointer: string;
    readonly verdict: string;
    readonly verdicts: Readonly<Record<string, string>>;
    readonly before?: { readonly value: string };
    readonly after?: Position & { readonly value: string };
    readonly producer?: Position;
  }[];
}

/** What a command printed, and whether it found something. */
export interface Printed {
  readonly found: boolean;
  readonly text: string;
}

/** Runs a command of tools/openapi in the repository. @throws Error if it could not run */
export function openapi(folder: string, ...args: readonly string[]): Printed {
  const { status, stdout, stderr } = run(folder, 'tools/openapi/dist/cli.js', args);
  if (status !== 0 && status !== 1) throw new Error(stderr.trim());
  return { found: status === 1, text: stdout };
}

/**
 * Writes the document without one answer each, into a folder. From these, the gate knows what follows from an answer.
 *
 * @throws Error if the document could not be written
 */
export function writeDocumentsWithout(folder: string, to: string): void {
  const args = ['apps/webhook/dist/openapi.json', '--without', to];
  const { status, stderr } = run(folder, 'apps/webhook/dist/openapi/write-document.js', args);
  if (status !== 0) throw new Error(stderr.trim());
}

function run(folder: string, program: string, args: readonly string[]) {
  return spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
}
