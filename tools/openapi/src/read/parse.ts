import { parseJson } from './parse-json.js';
import { parseYaml } from './parse-yaml.js';
import type { SourceFile, SourceNode } from './source-node.js';
import { ToolError } from './tool-error.js';

/**
 * Reads a JSON or YAML file, with the place of each node. A text that starts like JSON is tried as JSON first, because that is
 * many times as fast. A flow map of YAML starts the same way; it is read as YAML then.
 *
 * @throws ToolError `syntax` or `duplicate-key`, with the line
 */
export function parse(file: SourceFile): SourceNode {
  if (file.path.endsWith('.json')) return parseJson(file);
  if (!/^\s*[[{]/.test(file.text)) return parseYaml(file);
  try {
    return parseJson(file);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'syntax') return parseYaml(file);
    throw error;
  }
}
