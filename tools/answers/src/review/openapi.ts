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
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/openapi/dist/cli.js', ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0 && status !== 1) throw new Error(stderr.trim());
  return { found: status === 1, text: stdout };
}
