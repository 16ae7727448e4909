/**
 * Preloaded with `node --import`: appends to the file that READS names the path of each file that the program reads: by
 * itself, or by esbuild, which has a process of its own.
 */
import fs from 'node:fs';
import { createRequire, register, syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const { READS = '' } = process.env;
const append = fs.appendFileSync;

/** @param {unknown} file */
function record(file) {
  if (typeof file === 'string' || file instanceof URL)
    append(READS, `${file instanceof URL ? fileURLToPath(file) : resolve(file)}\n`);
}

/**
 * @param {any} owner
 * @param {readonly string[]} names of functions that take a file first
 */
function recordCalls(owner, ...names) {
  for (const name of names) {
    const read = owner[name];
    owner[name] = (/** @type {unknown[]} */ ...args) => {
      record(args[0]);
      return read.apply(owner, args);
    };
  }
}

recordCalls(fs, 'readFileSync', 'openSync', 'cpSync', 'copyFileSync', 'createReadStream', 'readFile');
recordCalls(fs.promises, 'readFile', 'open', 'copyFile');
syncBuiltinESMExports();

// What imports esbuild gets this module instead.
const resolveEsbuild = `export const resolve = (specifier, context, next) =>
  specifier === 'esbuild' ? { url: '${import.meta.url}', shortCircuit: true } : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(resolveEsbuild)}`);
const esbuild = createRequire(import.meta.url)('esbuild');

/** @param {import('esbuild').BuildOptions} options */
export async function build(options) {
  const result = await esbuild.build({ ...options, metafile: true });
  for (const file of Object.keys(result.metafile.inputs)) record(resolve(options.absWorkingDir ?? '', file));
  return result;
}
