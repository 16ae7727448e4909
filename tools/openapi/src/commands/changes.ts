import { changesBetween, type ChangesInput } from '../changes/changes.js';
import { FORMATS } from '../changes/format-changes.js';
import { readTextFile } from '../read/read-text-file.js';
import { revisionOf } from '../read/revision.js';
import { readProducers } from '../sources/producers.js';
import { exactly, oneOf, optional, required } from './arguments.js';
import type { Command, Values } from './command.js';

/** What changed between two revisions of a document. */
export const changes: Command = {
  summary: 'tell whom the changes between two revisions of a document break',
  help: `Usage: openapi changes OLD NEW [options]
       openapi changes --base REVISION --document FILE [options]

Tells what changed between two revisions of an OpenAPI 3.1 document, and what each change means for whom it
concerns: the sender and the receiver of a webhook, the client of a path. What may be said that might not
before breaks whoever reads it; what may no longer be said breaks whoever writes it. What no rule knows is
unclassified. A change in a shared part is told once, with all its places.

  --base REVISION   the old revision, as git names it; needs --document
  --document FILE   the new revision, and the file's name in the old one
  --for PARTY       only what concerns this one: receiver, sender or client
  --sources FILE    where the parts of the document come from; see openapi diff --help
  --format FORMAT   text (default), json, markdown, or github (annotations); the last two print nothing
                    when nothing changed

Exit: 0 nothing is broken for certain, 1 something is, 2 the tool could not run.
`,
  options: {
    base: { type: 'string' },
    document: { type: 'string' },
    for: { type: 'string' },
    sources: { type: 'string' },
    format: { type: 'string', default: 'text' },
  },
  async run(values, positionals, { out }) {
    const format =
      FORMATS[oneOf(['text', 'json', 'markdown', 'github'], required(values, 'format'), 'format')];
    const sources = optional(values, 'sources');
    const producerOf = sources === undefined ? () => undefined : readProducers(readTextFile, sources);
    const party = optional(values, 'for');
    const only = party === undefined ? undefined : oneOf(['receiver', 'sender', 'client'], party, 'for');
    const found = changesBetween(inputOf(values, positionals), only);
    out(format({ changes: found, producerOf }));
    return found.some(({ verdict }) => verdict === 'breaking') ? 1 : 0;
  },
};

function inputOf(values: Values, positionals: readonly string[]): ChangesInput {
  if (optional(values, 'base') === undefined && optional(values, 'document') === undefined) {
    const [before = '', after = ''] = exactly(['OLD', 'NEW'], positionals);
    return {
      before: { readText: readTextFile, path: before },
      after: { readText: readTextFile, path: after },
    };
  }
  exactly([], positionals);
  const revision = revisionOf(required(values, 'base'));
  const document = required(values, 'document');
  return {
    before: { readText: revision.readText, path: revision.pathOf(document) },
    after: { readText: readTextFile, path: document },
  };
}
