/**
 * `nx run workspace:package-budget`: bundles the core of the SDK as a store would, and fails if it is larger than its
 * budget or imports a package that it may not. With `--list`, it prints what the bundle consists of.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../nx.mjs';

/**
 * The core: the entry point `.` of the SDK with what it takes of the contract. The goal is 12 kB, which decision 032
 * says is missed; the limit is what keeps it from growing unseen.
 */
export const BUDGET = {
  entry: 'libs/sdk/dist/index.js',
  bytes: 13_900,
  packages: ['undici'],
};

/** The team's answers, and what they bring, are no part of the core. */
const ANSWERS = /libs\/contract\/dist\/(answers|accepts)\.js$/;

/**
 * @typedef {object} Bundle
 * @property {number} bytes minified, with gzip, without the packages
 * @property {string[]} packages that it imports
 * @property {Array<{ path: string, bytes: number }>} files that it consists of, largest first, before gzip
 */

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const bundle = await bundleOf(join(root, BUDGET.entry));
  const { bytes, packages, files } = bundle;
  console.log(
    `The core of the SDK: ${bytes} bytes of ${BUDGET.bytes}, and it imports ${packages.join(', ')}.`,
  );
  if (process.argv.includes('--list')) {
    for (const file of files) console.log(`${String(file.bytes).padStart(6)}  ${file.path}`);
  }
  const faults = overdrawn(bundle, BUDGET);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}

/**
 * What is wrong with a bundle.
 *
 * @param {Bundle} bundle
 * @param {{ bytes: number, packages: string[] }} budget
 * @returns {string[]}
 */
export function overdrawn({ bytes, packages }, budget) {
  return [
    ...(bytes > budget.bytes
      ? [
          `The core is ${bytes - budget.bytes} bytes too large. See what is in it: npx nx run workspace:package-budget --list`,
        ]
      : []),
    ...packages
      .filter((name) => !budget.packages.includes(name))
      .map((name) => `The core may not import ${name}.`),
  ];
}

/**
 * Bundles a module with what it imports of this workspace, with every question open. Other packages stay imports.
 *
 * @param {string} file
 * @returns {Promise<Bundle>}
 */
export async function bundleOf(file) {
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    plugins: [{ name: 'core', setup: leaveOut }],
    metafile: true,
    write: false,
  });
  const [{ contents = new Uint8Array() } = {}] = outputFiles;
  const [{ imports = [], inputs = {} } = {}] = Object.values(metafile.outputs);
  const names = new Set(imports.map(({ path }) => path).filter((path) => !path.startsWith('node:')));
  return {
    bytes: gzipSync(contents, { level: 9 }).length,
    packages: [...names].sort(),
    files: Object.entries(inputs)
      .map(([path, { bytesInOutput }]) => ({ path, bytes: bytesInOutput }))
      .sort((one, other) => other.bytes - one.bytes),
  };
}

/** @param {import('esbuild').PluginBuild} build */
function leaveOut({ onResolve, onLoad }) {
  onLoad({ filter: ANSWERS }, ({ path }) => ({
    contents: `export const ${ANSWERS.exec(path)?.[1]} = {};`,
  }));
  onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
    kind === 'entry-point' || path.startsWith('@plant-store/') ? undefined : { path, external: true },
  );
}
