import { existsSync } from 'node:fs';
import { formatGithub } from '../format/format-github.js';
import { formatJson } from '../format/format-json.js';
import { formatMarkdown } from '../format/format-markdown.js';
import { formatText } from '../format/format-text.js';
import { gate } from '../gate/gate.js';
import { isClean } from '../gate/tally.js';
import { readTextFile } from '../read/read-text-file.js';
import { readProducers } from '../sources/producers.js';
import { exactly, oneOf, optional, required } from './arguments.js';
import type { Command } from './command.js';

const FORMATS = { text: formatText, json: formatJson, markdown: formatMarkdown, github: formatGithub };

/** The gate. */
export const diff: Command = {
  summary: 'hold a document against the facts of a specification',
  help: `Usage: openapi diff --baseline FILE --document FILE [options]

Holds an OpenAPI 3.1 document against a baseline that was written from a specification, and tells of each
fact whether it is specified, missing, contradicted, invented, answered or a stale answer. With --answers, it
tells of each answered question whether the overlay and the code say the same.

  --baseline FILE   what the specification states; a comment at a value names the section that states it
  --document FILE   what is published
  --overlay FILE    answers to what is open, as OpenAPI Overlay 1.0.0; none if there is no such file
  --answers FILE    the same answers as the code has them: what \`openapi answers\` writes
  --sources FILE    JSON object from JSON Pointer to the file that produces what is there and below, or to
                    { "file": PATH, "near": TEXT }; the longest pointer counts
  --mend COMMAND    the command that generates the document, to be named with each finding
  --format FORMAT   text (default), json, markdown or github (annotations)

Files may be JSON or YAML; a $ref may lead to other local files.
Exit: 0 all facts are specified or answered, and both sides of each answer say the same; 1 something else;
2 the tool could not run.
`,
  options: {
    baseline: { type: 'string' },
    document: { type: 'string' },
    overlay: { type: 'string' },
    answers: { type: 'string' },
    sources: { type: 'string' },
    mend: { type: 'string' },
    format: { type: 'string', default: 'text' },
  },
  async run(values, positionals, { out }) {
    exactly([], positionals);
    const format =
      FORMATS[oneOf(['text', 'json', 'markdown', 'github'], required(values, 'format'), 'format')];
    const baseline = required(values, 'baseline');
    const document = required(values, 'document');
    const overlay = optional(values, 'overlay');
    const sources = optional(values, 'sources');
    const producerOf = sources === undefined ? () => undefined : readProducers(readTextFile, sources);
    const given = overlay !== undefined && existsSync(overlay) ? overlay : undefined;
    const answers = optional(values, 'answers');
    const report = gate({ readText: readTextFile, baseline, document, overlay: given, answers });
    const mend = optional(values, 'mend');
    out(format({ report, overlay, hasOverlay: given !== undefined, producerOf, mend }));
    return isClean(report) ? 0 : 1;
  },
};
