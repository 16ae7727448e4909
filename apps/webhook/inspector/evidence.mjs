/**
 * What the kept deliveries show about the open questions: shapes and counts, never values. It proposes no answer.
 *
 * @import { Evidence as Found, RepeatEvidence } from '../src/evidence/evidence.js'
 * @import { JsonEvidence } from '../src/evidence/json-fields.js'
 * @import { Names, Spread } from '../src/evidence/tally.js'
 */
import { useEffect, useState } from 'preact/hooks';

import * as receiver from './receiver.mjs';
import { Button, html, Table } from './ui.mjs';
import * as words from './words.mjs';

export function Evidence() {
  const [found, setFound] = useState(/** @type {Found | Error | undefined} */ (undefined));
  const [looks, setLooks] = useState(1);
  useEffect(() => {
    const leaving = new AbortController();
    setFound(undefined);
    receiver.evidence(leaving.signal).then(setFound, setFound);
    return () => leaving.abort();
  }, [looks]);
  return html`<div class="row">
      <h2 id="evidence" tabindex="-1">What the deliveries show</h2>
      ${found && html`<${Button} act=${() => setLooks(looks + 1)}>Look again<//>`}
    </div>
    <p class="note">
      Shapes and counts of what is kept. No value of a header field or of a content is shown.
    </p>
    ${found === undefined && html`<p role="status">Looking at all deliveries…</p>`}
    ${found instanceof Error ? found.message : found && html`<${Sections} ...${found} />`}`;
}

/** @param {Found} found */
function Sections(found) {
  const { deliveries, discarded, firstReceivedAt, lastReceivedAt, stoppedAfter, questions } = found;
  if (firstReceivedAt === null || lastReceivedAt === null) return html`<p>There are no deliveries.</p>`;
  /** @type {[part: keyof typeof questions, title: string, content: any][]} */
  const sections = [
    ['methods', 'Methods', namesTable(found.methods)],
    ['mediaTypes', 'Media types', namesTable(found.mediaTypes)],
    ['contentEncodings', 'Content encodings', namesTable(found.contentEncodings)],
    ['sizes', 'Size of a content', spreadTable(found.sizes, words.size)],
    ['repeats', 'The same bytes again', repeatTables(found.repeats)],
    ['headerFields', 'Header fields', namesTable(found.headerFields, deliveries)],
    ['content', 'Content', contentTables(found.content)],
  ];
  return html`<p>
      ${words.deliveries(deliveries)}, received from ${words.time(firstReceivedAt)} to
      ${` ${words.time(lastReceivedAt)}. `}
      ${discarded > 0 && `${words.deliveries(discarded)} without a content, because of a discard, left out. `}
      ${stoppedAfter !== null && `The time was over after delivery ${stoppedAfter}.`}
    </p>
    <div class="evidence">
      ${sections.map(
        ([part, title, content]) =>
          html`<section class=${`card ${part}`} aria-labelledby=${`evidence-${part}`}>
            <h3 id=${`evidence-${part}`}>${title}</h3>
            <p class="note">
              ${questions[part].map((question, index) => html`${index > 0 && ', '}<code>${question}</code>`)}
            </p>
            ${content}
          </section>`,
      )}
    </div>
    <p class="note">
      How many of these deliveries would an answer refuse? ${' '}<code
        >npx plant-inbox try --question http-method --answer POST</code
      >
    </p>`;
}

/** The titles of columns of numbers. */
const NUMBERS = new Set(['Deliveries', 'Values', 'Present', 'Least', 'p50', 'p90', 'p99', 'Most']);

/** @param {readonly string[]} titles @param {readonly (readonly (string | number)[])[]} rows */
const table = (titles, rows) =>
  html`<${Table}
    columns=${titles.map((title) => ({ title, kind: NUMBERS.has(title) ? 'number' : undefined }))}
    rows=${rows.map((row) => row.map((value) => (typeof value === 'number' ? words.count(value) : value)))}
  />`;

/** @param {Names} names @param {number} [all] a field that so many deliveries have comes always */
const namesTable = ({ names, further }, all) => {
  const rows = names.map(({ name, deliveries }) => [
    name,
    deliveries,
    deliveries === all ? 'always' : 'sometimes',
  ]);
  if (further > 0) rows.push(['further names', further]);
  return table(all === undefined ? ['Name', 'Deliveries'] : ['Name', 'Deliveries', 'Comes'], rows);
};

/** @param {Spread | null} spread @param {(value: number) => string} text */
const spreadTable = (spread, text) =>
  spread &&
  table(
    ['Least', 'p50', 'p90', 'p99', 'Most'],
    [[spread.least, spread.p50, spread.p90, spread.p99, spread.most].map(text)],
  );

/** @param {RepeatEvidence} repeats */
const repeatTables = ({ contents, deliveries, between, forgotten }) =>
  html`<p>
      ${
        deliveries === 0
          ? 'No content came twice.'
          : `${words.deliveries(deliveries)} with a content that came before (${words.count(contents)} different). Time between two:`
      }
      ${forgotten > 0 && ` ${words.deliveries(forgotten)} not compared: there are too many contents.`}
    </p>
    ${spreadTable(between, words.duration)}`;

/** Whether one object or list can have several of these values. @param {string} path */
const isRepeated = (path) => /\/(?:\[\]|\{\})$/.test(path);

/** @param {JsonEvidence} content */
const contentTables = ({ json, other, unread, inPart, further, fields }) => {
  const counts = [
    `${words.count(json)} JSON`,
    other > 0 && `${words.count(other)} not JSON in UTF-8`,
    unread > 0 && `${words.count(unread)} not read: encoded, or larger than 1 MiB`,
    inPart > 0 && `${words.count(inPart)} with more values than are looked at`,
    further > 0 && `${words.count(further)} values too deep, or of too many fields`,
  ];
  const rows = fields.flatMap(({ path, values, of, types, formats }) =>
    Object.entries(types).map(([type, count]) => [
      path === '' ? '(the content)' : html`<code>${path}</code>`,
      type === 'string' ? [type, ...formats].join(', ') : type,
      count,
      `${words.count(values)} ${isRepeated(path) ? 'in' : 'of'} ${words.count(of)}`,
    ]),
  );
  return html`<p>${counts.filter(Boolean).join(' · ')}</p>
    ${rows.length > 0 && table(['Field', 'Type, format', 'Values', 'Present'], rows)}
    ${
      fields.some(({ path }) => path.includes('{}')) &&
      html`<p class="note"><code>{}</code> stands for names that are not shown: they look like values.</p>`
    }`;
};
