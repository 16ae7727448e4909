import { plainName } from '../read/json-pointer.js';
import { readTextFile } from '../read/read-text-file.js';
import { structuralFaults, type StructuralFault } from '../structure/structural-faults.js';
import { choice, type Command, exactly } from './command.js';

const FORMATS = {
  text: (file: string, faults: readonly StructuralFault[]) =>
    faults.length === 0
      ? `${file}: valid OpenAPI 3.1\n`
      : faults.map(({ at, pointer, problem }) => `${at}: ${plainName(pointer)} ${problem}\n`).join(''),
  json: (_file: string, faults: readonly StructuralFault[]) => `${JSON.stringify({ faults }, null, 2)}\n`,
};

/** The structure of a document, whatever it states. */
export const validate: Command = {
  summary: 'check that a document is valid OpenAPI 3.1',
  help: `Usage: openapi validate FILE [--format text|json]

Checks a document with the JSON Schema of OpenAPI 3.1, and follows every $ref in it.

Exit: 0 valid, 1 not valid, 2 the tool could not run: not JSON or YAML, not OpenAPI 3.1, a $ref to nothing.
`,
  options: { format: { type: 'string', default: 'text' } },
  async run(values, positionals, { out }) {
    const [file = ''] = exactly(['FILE'], positionals);
    const format = choice(values, 'format', FORMATS);
    const faults = await structuralFaults(readTextFile, file);
    out(format(file, faults));
    return faults.length === 0 ? 0 : 1;
  },
};
