import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const MANIFEST = 'deploy/kubernetes.yaml';

/** The file of types for each kind that the manifest may have. */
const modules = { Service: 'core/v1', StatefulSet: 'apps/v1' };

/**
 * Gate: the manifest has what the API of Kubernetes defines, and nothing else. Returns a line for each fault.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function manifestFaults(folder) {
  const text = readFileSync(join(folder, MANIFEST), 'utf8');
  return unknownToKubernetes(text).map((fault) => `${MANIFEST}: ${fault}`);
}

/**
 * Type-checks each document of a manifest as a literal, so that an unknown field is a fault, too.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function unknownToKubernetes(text) {
  const types = dirname(
    ts.sys.resolvePath(new URL(import.meta.resolve('kubernetes-types/package.json')).pathname),
  );
  const sources = new Map(
    parseAllDocuments(text).map((document, index) => {
      const { kind, ...others } = document.toJS();
      const file = modules[/** @type {keyof typeof modules} */ (kind)];
      if (file === undefined) throw new Error(`${MANIFEST}: add the kind ${kind} to ${import.meta.url}`);
      const literal = JSON.stringify({ kind, ...others }, null, 1);
      return [
        `${types}/${index}.ts`,
        `const manifest: import('./${file}').${kind} = ${literal};\nexport default manifest;\n`,
      ];
    }),
  );
  return compile(sources);
}

/**
 * @param {ReadonlyMap<string, string>} sources by path
 * @returns {string[]} the errors
 */
function compile(sources) {
  const options = { strict: true, noEmit: true, skipLibCheck: true, lib: ['lib.es5.d.ts'], types: [] };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile;
  host.getSourceFile = (name, ...more) => {
    const text = sources.get(name);
    return text === undefined
      ? readSource(name, ...more)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
