import { parseJson } from './parse-json.js';
import { parsePlainYaml } from './parse-plain-yaml.js';
import { parseYaml } from './parse-yaml.js';
import type { SourceFile } from './source-file.js';
import type { SourceNode } from './source-node.js';
import { ToolError } from './tool-error.js';

/**
 * Reads a file that holds JSON or YAML. What opens like JSON is tried as JSON first, which is ten times
 * as fast; a flow map of YAML opens the same way and is read as YAML then.
 *
 * @throws ToolError `syntax` or `duplicate-key`, with the line
 */
export function parseSource(file: SourceFile): SourceNode {
  if (file.path.endsWith('.json')) return parseJson(file);
  if (!/^\s*[[{]/.test(file.text)) return parsePlainYaml(file) ?? parseYaml(file);
  try {
    return parseJson(file);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'syntax') return parseYaml(file);
    throw error;
  }
}
