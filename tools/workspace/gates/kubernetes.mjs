/**
 * `nx run workspace:kubernetes`: the manifest has what the API of Kubernetes defines, and nothing else. The compiler
 * checks each of its documents as a literal of the type, so that an unknown field is a fault, too.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const [manifest = 'deploy/kubernetes.yaml'] = process.argv.slice(2);
// Below the workspace, the compiler finds the package of the types.
const folder = 'tools/workspace/out-tsc';
const file = `${folder}/manifest-${process.pid}.ts`;

/** The module of each kind's type. */
const modules = { Service: 'core/v1', StatefulSet: 'apps/v1' };

const literals = parseAllDocuments(readFileSync(manifest, 'utf8')).map((document) => {
  const { kind, ...others } = document.toJS();
  const from = modules[/** @type {keyof typeof modules} */ (kind)] ?? 'unknown-kind';
  const literal = JSON.stringify({ kind, ...others }, undefined, 2);
  return `export default ${literal} satisfies import('kubernetes-types/${from}').${kind};\n`;
});
mkdirSync(folder, { recursive: true });
for (const literal of literals) {
  writeFileSync(file, literal);
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck'];
  const tsc = ['node_modules/typescript/bin/tsc', ...options, file];
  const { stdout, status } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  rmSync(file);
  if (status === 0) continue;
  console.error(`${manifest} isn't what Kubernetes takes:\n${stdout}${literal}`);
  process.exitCode = 1;
}
