import { readProducers } from '../format/position.js';
import { isClean } from '../gate/gate.js';
import { readTextFile } from '../read/read-text-file.js';
import { FORMATS } from '../report/formats.js';
import { choice, type Command, exactly, optional } from './command.js';
import { GATE_HELP, GATE_OPTIONS, runGate } from './gate-input.js';

/** The gate. */
export const diff: Command = {
  summary: 'compare a document with the facts of a specification',
  help: `Usage: openapi diff --baseline FILE --document FILE [options]

Compares an OpenAPI 3.1 document with a baseline that was written from a specification. Each fact is specified,
missing, contradicted, invented, answered or a stale answer. A webhook, path or operation that only one of them has
is one finding, unless answers belong to it. With --answers, it also compares the answers of the overlay with those
of the code.

${GATE_HELP}
  --sources FILE    JSON object from JSON Pointer to the file that produces what is there and below, or to
                    { "file": PATH, "near": TEXT }; the longest pointer counts
  --fix-with CMD    the command that generates the document; findings name it
  --format FORMAT   text (default), json, markdown or github (annotations)

Files may be JSON or YAML; a $ref may lead to other files of the repository, or of the document's folder if it is in
no repository.
Exit: 0 each fact is specified or answered, and both sides of each answer are equal; 1 there are findings;
2 the tool could not run.
`,
  options: {
    ...GATE_OPTIONS,
    sources: { type: 'string' },
    'fix-with': { type: 'string' },
    format: { type: 'string', default: 'text' },
  },
  async run(values, positionals, { out }) {
    exactly([], positionals);
    const format = choice(values, 'format', FORMATS);
    const fixWith = optional(values, 'fix-with');
    const producerOf = readProducers(readTextFile, optional(values, 'sources'));
    const run = runGate(values);
    out(await format({ ...run, producerOf, fixWith }));
    return isClean(run.report) ? 0 : 1;
  },
};
