import { changesBetween, type ChangesInput } from '../changes/changes.js';
import { FORMATS, formatRules } from '../changes/format-changes.js';
import { listRules } from '../changes/list-rules.js';
import { readProducers } from '../format/position.js';
import { readTextFile } from '../read/read-text-file.js';
import { revisionOf } from '../read/revision.js';
import { choice, type Command, exactly, optional, required, type Values } from './command.js';

const PARTIES = { receiver: 'receiver', sender: 'sender', client: 'client' } as const;

/** What changed between two revisions of a document. */
export const changes: Command = {
  summary: 'list the changes between two revisions of a document, and whom they break',
  help: `Usage: openapi changes OLD NEW [options]
       openapi changes --base REVISION --document FILE [options]
       openapi changes --rules

Lists what changed between two revisions of an OpenAPI 3.1 document, and what each change means for the sender
and the receiver of a webhook, and for the client of a path. Something new that may be said breaks whoever reads
it; something that may no longer be said breaks whoever writes it. A change in a shared part is listed once, with
its first ten places. The verdicts, the worst first:

  breaking          a value shows it, which one side may send and the other refuses; a part that isn't in a schema
                    needs none
  unproven          the rules call it breaking, and no such value was found
  unclassified      no rule knows what it means
  additive          an optional property came where the schema allows further properties
  not breaking

  --base REVISION   the old revision, as git names it; needs --document
  --document FILE   the new revision, and the file's name in the old one
  --rules           list the kinds of change by their id, and whom each breaks
  --for PARTY       only the changes that concern the receiver, sender or client
  --sources FILE    where the parts of the document come from; see openapi diff --help
  --format FORMAT   text (default), json, markdown, or github (annotations); the last two print nothing
                    when nothing changed

Exit: 0 no change is breaking (unproven ones may be), 1 a change is breaking, 2 the tool could not run.
`,
  options: {
    base: { type: 'string' },
    document: { type: 'string' },
    for: { type: 'string' },
    rules: { type: 'boolean', default: false },
    sources: { type: 'string' },
    format: { type: 'string', default: 'text' },
  },
  async run(values, positionals, { out }) {
    if (values['rules'] === true) {
      exactly([], positionals);
      out(formatRules(listRules()));
      return 0;
    }
    const format = choice(values, 'format', FORMATS);
    const producerOf = readProducers(readTextFile, optional(values, 'sources'));
    const party = optional(values, 'for') === undefined ? undefined : choice(values, 'for', PARTIES);
    const found = changesBetween(inputOf(values, positionals), party);
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
