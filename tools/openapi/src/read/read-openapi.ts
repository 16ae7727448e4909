import type { SourceFiles } from './source-files.js';
import { stringAt, type SourceNode } from './source-node.js';
import { ToolError } from './tool-error.js';

/**
 * The root of an OpenAPI 3.1 document.
 *
 * @throws ToolError if the file cannot be read or parsed, or is of another kind or version
 */
export function readOpenapi(files: SourceFiles, path: string): SourceNode {
  const root = files.root(path);
  if (root.kind !== 'map') throw notOpenapi(path, 'expected an object');
  const version = stringAt(root, 'openapi');
  if (version === undefined) throw notOpenapi(path, '`openapi` must be a text');
  if (!/^3\.1\.\d/.test(version)) throw notOpenapi(path, `it declares OpenAPI ${version}`);
  return root;
}

function notOpenapi(path: string, problem: string): ToolError {
  return new ToolError('not-openapi-3.1', `${path}: not an OpenAPI 3.1 document: ${problem}`);
}
