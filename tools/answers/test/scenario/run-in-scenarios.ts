import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/**
 * Runs a program in a process of its own, because the module hooks of loader.mjs do not work inside Jest.
 *
 * @param program relative to this folder
 * @param input its standard input, as JSON
 * @returns its standard output, which is JSON
 */
export async function runInScenarios(program: string, input: unknown): Promise<unknown> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('process.mjs', import.meta.url)), program], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 280_000,
  });
  child.stdin.end(JSON.stringify(input));
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new Error(`The scenarios could not be observed: ${stderr}`);
  return JSON.parse(stdout);
}
