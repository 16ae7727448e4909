import { factGraph } from '../facts/fact-graph.js';
import { plainName } from '../read/json-pointer.js';
import { readTextFile } from '../read/read-text-file.js';
import { readOpenapi, type ReadText, SourceFiles } from '../read/source-files.js';
import { formatPlace } from '../read/source-node.js';
import { visible } from '../read/visible.js';
import { checkDocument } from '../validate/document-rules.js';
import type { Fault } from '../validate/fault.js';
import { checkStructure } from '../validate/structure.js';
import { choice, type Command, exactly } from './command.js';

const FORMATS = {
  text: (file: string, faults: readonly Fault[]) =>
    faults.length === 0
      ? `${file}: valid OpenAPI 3.1\n`
      : faults
          .map(
            ({ pointer, place, problem }) =>
              `${visible(`${formatPlace(place)}: ${plainName(pointer)} ${problem}`)}\n`,
          )
          .join(''),
  json: (_file: string, faults: readonly Fault[]) => {
    const listed = faults.map(({ pointer, place, problem }) => ({
      pointer,
      at: formatPlace(place),
      problem,
    }));
    return `${JSON.stringify({ faults: listed }, null, 2)}\n`;
  },
};

/** The structure of a document, whatever it states. */
export const validate: Command = {
  summary: 'check that a document is valid OpenAPI 3.1',
  help: `Usage: openapi validate FILE [--format text|json]

Checks the objects of OpenAPI 3.1, the schemas of JSON Schema 2020-12, and what refers to something else: each
$ref, security requirement, parameter of a path and operationId.

Exit: 0 valid, 1 not valid, 2 the tool could not run: not JSON or YAML, not OpenAPI 3.1, a $ref to nothing.
`,
  options: { format: { type: 'string', default: 'text' } },
  run(values, positionals, { out }) {
    const [file = ''] = exactly(['FILE'], positionals);
    const format = choice(values, 'format', FORMATS);
    const faults = faultsOf(readTextFile, file);
    out(format(file, faults));
    return Promise.resolve(faults.length === 0 ? 0 : 1);
  },
};

/**
 * What is wrong with a document, in the order of its files and lines.
 *
 * @throws ToolError if the file, or a reference in it, cannot be read
 */
export function faultsOf(readText: ReadText, path: string): Fault[] {
  const files = new SourceFiles(readText);
  const root = readOpenapi(files, path);
  // It refuses references that lead to nothing.
  factGraph(files, root);
  const structure = checkStructure(files, root);
  const faults = [...structure.faults, ...checkDocument(files, root, structure)];
  const paths = [...new Set(faults.map(({ place }) => place.file.path))];
  return faults.sort(
    (one, other) =>
      paths.indexOf(one.place.file.path) - paths.indexOf(other.place.file.path) ||
      one.place.start - other.place.start,
  );
}
