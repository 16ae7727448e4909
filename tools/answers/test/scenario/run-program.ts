import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The result of a program. */
export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What `process.exit` throws while a program runs. */
class Exit extends Error {
  constructor(readonly code: number) {
    super(`The program ended with exit code ${code}.`);
  }
}

let runs = 0;

/**
 * Runs a built program in this process as `node <file> <args>` runs it, under the answers of a scenario. Its main
 * module is a new one each time. The modules that it imports are shared by all programs of the scenario.
 *
 * @param file relative to the repository
 * @param environment all the variables that the program sees
 */
export async function runProgram(
  scenario: string,
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const path = join(ROOT, file);
  const url = pathToFileURL(path);
  url.searchParams.set('scenario', scenario);
  url.searchParams.set('run', String((runs += 1)));
  const { argv, env } = process;
  const exit = process.exit.bind(process);
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  try {
    process.argv = [process.execPath, path, ...args];
    process.env = { ...environment };
    process.exit = (code) => {
      throw new Exit(Number(code ?? 0));
    };
    const code = await import(url.href).then(
      () => Number(process.exitCode ?? 0),
      (error: unknown) => {
        if (error instanceof Exit) return error.code;
        throw error;
      },
    );
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.argv = argv;
    process.env = env;
    process.exit = exit;
    process.exitCode = undefined;
    stdout.restore();
    stderr.restore();
  }
}

/** Imports a built module under the answers of a scenario. */
export async function importBuilt(scenario: string, file: string): Promise<unknown> {
  const url = pathToFileURL(join(ROOT, file));
  url.searchParams.set('scenario', scenario);
  return import(url.href);
}

function capture(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const write = stream.write.bind(stream);
  let text = '';
  stream.write = (chunk: string | Uint8Array): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return { text: () => text, restore: () => void (stream.write = write) };
}
