/**
 * `nx run workspace:kubernetes`: each manifest has what the API of Kubernetes defines, and nothing else. The compiler
 * checks each of its documents as a literal of the type, so that an unknown field is a fault, too.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const [, , ...given] = process.argv;
const manifests = given.length > 0 ? given : ['deploy/kubernetes.yaml', 'deploy/kubernetes-relay.yaml'];
// Below the workspace, the compiler finds the package of the types.
const folder = 'tools/workspace/out-tsc';
const file = `${folder}/manifest-${process.pid}.ts`;

/** The module of each kind's type. */
const modules = { Deployment: 'apps/v1', Service: 'core/v1', StatefulSet: 'apps/v1' };

const literals = manifests.flatMap((manifest) =>
  parseAllDocuments(readFileSync(manifest, 'utf8')).map((document) => {
    const { kind, ...others } = document.toJS();
    const from = modules[/** @type {keyof typeof modules} */ (kind)] ?? 'unknown-kind';
    const value = JSON.stringify({ kind, ...others }, undefined, 2);
    const literal = `export default ${value} satisfies import('kubernetes-types/${from}').${kind};\n`;
    return { manifest, literal };
  }),
);
mkdirSync(folder, { recursive: true });
for (const { manifest, literal } of literals) {
  writeFileSync(file, literal);
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck'];
  const tsc = ['node_modules/typescript/bin/tsc', ...options, file];
  const { stdout, status } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  rmSync(file);
  if (status === 0) continue;
  console.error(`${manifest} isn't what Kubernetes takes:\n${stdout}${literal}`);
  process.exitCode = 1;
}
