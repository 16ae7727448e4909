import { hash } from 'node:crypto';

import type { QuestionId } from '@plant-store/contract';
import { cut, type Row, table } from '@plant-store/command/table';

import type { StoredDelivery } from '../inbox/inbox-operations.js';
import { deliveries, inBatches, upToNow } from './batches.js';
import { withConnection } from './connection.js';
import { type FieldEvidence, Place } from './json-fields.js';
import { filterOf, type Selection } from './options.js';
import type { Output } from './printable.js';
import type { Terminal } from './terminal.js';

/** No line is wider, in columns, nor wider than the terminal. */
const WIDTH = 80;

/** Largest content that is parsed, in bytes. */
const MAX_PARSED = 1_048_576;

/** Most names of a tally, the longest one, and most fields. The others are counted together. */
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 64;
const MAX_FIELDS = 500;

/** Among how many different contents a repetition is found: the last ones. */
const MAX_CONTENTS = 100_000;

/** Stands for what is missing, and for what has another syntax than it should, which may be a value. */
const NONE = '(none)';
const OTHER = '(other)';

const METHOD = /^[A-Z]{1,20}$/;
const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/;
/** As IANA has registered them. */
const CODINGS = ['identity', 'gzip', 'x-gzip', 'compress', 'x-compress', 'deflate', 'br', 'zstd'];

/** How many deliveries have a name, such as a method. */
type Tally = Readonly<Record<string, number>>;

/** How numbers are spread. */
interface Spread {
  readonly least: number;
  /** To three digits. */
  readonly median: number;
  readonly most: number;
}

/** What deliveries show: shapes and counts. No value of a header field or of a content is in it. */
export interface Evidence {
  readonly deliveries: number;
  /** How many were left out, because their content is deleted. */
  readonly discarded: number;
  /** In milliseconds since 1970; null if there are none. */
  readonly firstReceivedAt: number | null;
  readonly lastReceivedAt: number | null;
  readonly methods: Tally;
  /** In lower case, without parameters. */
  readonly mediaTypes: Tally;
  readonly contentEncodings: Tally;
  /** How many contents are JSON in UTF-8, are not, or were not read: encoded, or too large. */
  readonly contents: { readonly json: number; readonly other: number; readonly unread: number };
  readonly fields: readonly FieldEvidence[];
  /** Of the contents, in bytes; null if there are none. */
  readonly sizes: Spread | null;
  /** Deliveries with the bytes of one before, among {@link MAX_CONTENTS}, and the time since that, in milliseconds. */
  readonly repeats: { readonly deliveries: number; readonly between: Spread | null };
  /** Names in lower case. Credentials and fields of the connection are not kept. */
  readonly headerFields: Tally;
}

/** What is read of a delivery. */
export type ReadDelivery = Pick<
  StoredDelivery,
  'state' | 'method' | 'mediaType' | 'contentEncoding' | 'receivedAt' | 'fields'
> & { readonly content: Uint8Array };

/** `plant-inbox evidence` */
export async function evidence(
  terminal: Terminal,
  inbox: string,
  { output, ...selection }: Selection & { output?: Output },
): Promise<void> {
  const collector = new EvidenceCollector();
  await withConnection(inbox, async (connection) => {
    const filter = await upToNow(connection, filterOf(selection));
    await inBatches(terminal, filter, { doing: 'Reading', done: 'read' }, async (query) => {
      const read = await connection.get<{
        deliveries: (Omit<ReadDelivery, 'content'> & { readonly content: string })[];
        next: number | null;
      }>('/deliveries/batch', query);
      for (const delivery of read.deliveries)
        collector.add({ ...delivery, content: Buffer.from(delivery.content, 'base64') });
      return { count: read.deliveries.length, next: read.next };
    });
  });
  const found = collector.result();
  await terminal.print(output, found, () => (found.deliveries > 0 ? evidenceText(terminal, found) : ''));
  if (found.deliveries === 0) terminal.report('No deliveries with a content.');
}

/** Collects what deliveries show, the oldest first. What it keeps doesn't grow with their number. */
export class EvidenceCollector {
  readonly #counts = { deliveries: 0, discarded: 0 };
  readonly #tallies = {
    methods: new Map<string, number>(),
    mediaTypes: new Map<string, number>(),
    contentEncodings: new Map<string, number>(),
    headerFields: new Map<string, number>(),
  };
  readonly #contents = { json: 0, other: 0, unread: 0 };
  readonly #content = new Place();
  #received: { readonly first: number; readonly last: number } | undefined;
  readonly #sizes = new SpreadCounter();
  readonly #between = new SpreadCounter();
  /** When contents came last, by the beginning of their digest, the latest at the end. */
  readonly #lastReceivedAt = new Map<number, number>();

  constructor(private readonly maxContents = MAX_CONTENTS) {}

  add({ state, method, mediaType, contentEncoding, receivedAt, fields, content }: ReadDelivery): void {
    this.#counts[state === 'discarded' ? 'discarded' : 'deliveries'] += 1;
    if (state === 'discarded') return;
    const codings = codingsOf(contentEncoding);
    count(this.#tallies.methods, METHOD.test(method) ? method : OTHER);
    count(this.#tallies.mediaTypes, essenceOf(mediaType));
    count(this.#tallies.contentEncodings, codings);
    for (const name of new Set(fields.map(([each]) => each.toLowerCase())))
      count(this.#tallies.headerFields, name);
    this.#received = { first: this.#received?.first ?? receivedAt, last: receivedAt };
    this.#sizes.add(content.length);
    this.#addContent(content, [NONE, 'identity'].includes(codings));
    this.#addDigest(hash('sha256', content, 'buffer').readUIntBE(0, 6), receivedAt);
  }

  result(): Evidence {
    const { methods, mediaTypes, contentEncodings, headerFields } = this.#tallies;
    return {
      ...this.#counts,
      firstReceivedAt: this.#received?.first ?? null,
      lastReceivedAt: this.#received?.last ?? null,
      methods: sorted(methods),
      mediaTypes: sorted(mediaTypes),
      contentEncodings: sorted(contentEncodings),
      contents: this.#contents,
      fields: this.#contents.json === 0 ? [] : this.#content.rows().slice(0, MAX_FIELDS),
      sizes: this.#sizes.result(),
      repeats: { deliveries: this.#between.total, between: this.#between.result() },
      headerFields: sorted(headerFields),
    };
  }

  #addDigest(digest: number, receivedAt: number): void {
    const known = this.#lastReceivedAt;
    const before = known.get(digest);
    // The clock may have been set back.
    if (before !== undefined) this.#between.add(Math.max(0, receivedAt - before));
    known.delete(digest);
    known.set(digest, receivedAt);
    if (known.size > this.maxContents) known.delete(known.keys().next().value!);
  }

  #addContent(content: Uint8Array, isPlain: boolean): void {
    if (!isPlain || content.length > MAX_PARSED) return void (this.#contents.unread += 1);
    try {
      this.#content.add(
        JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)),
      );
      this.#contents.json += 1;
    } catch {
      this.#contents.other += 1;
    }
  }
}

/** Another name, beyond the limits, counts as an other one. */
function count(tally: Map<string, number>, name: string): void {
  const isShown = tally.has(name) || (tally.size < MAX_NAMES && name.length <= MAX_NAME_LENGTH);
  const counted = isShown ? name : OTHER;
  tally.set(counted, (tally.get(counted) ?? 0) + 1);
}

/** Those of the most deliveries first. */
const sorted = (tally: Map<string, number>): Tally =>
  Object.fromEntries(
    [...tally].sort(([one, count], [other, others]) => others - count || (one < other ? -1 : 1)),
  );

/** A media type without its parameters, which are values. */
function essenceOf(mediaType: string | null): string {
  const essence = mediaType?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
  if (essence === '') return NONE;
  return MEDIA_TYPE.test(essence) ? essence : OTHER;
}

function codingsOf(contentEncoding: string | null): string {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  if (codings[0] === '') return NONE;
  return codings.every((coding) => CODINGS.includes(coding)) ? codings.slice(0, 4).join(', ') : OTHER;
}

/** Counts numbers by their first three digits, of which there are some thousands, however many numbers there are. */
class SpreadCounter {
  total = 0;
  #least = Infinity;
  #most = -Infinity;
  readonly #counts = new Map<number, number>();

  add(value: number): void {
    this.total += 1;
    this.#least = Math.min(this.#least, value);
    this.#most = Math.max(this.#most, value);
    const rounded = Number(value.toPrecision(3));
    this.#counts.set(rounded, (this.#counts.get(rounded) ?? 0) + 1);
  }

  /** Null if there are no numbers. */
  result(): Spread | null {
    let left = this.total / 2;
    for (const [value, number] of [...this.#counts].sort(([one], [other]) => one - other)) {
      left -= number;
      if (left > 0) continue;
      const median = Math.min(Math.max(value, this.#least), this.#most);
      return { least: this.#least, median, most: this.#most };
    }
    return null;
  }
}

/** What is found, for people. Each part has the questions for which it is of use. */
export function evidenceText(terminal: Terminal, found: Evidence): string {
  const { contents, discarded, fields, repeats, sizes } = found;
  const [first, last] = [found.firstReceivedAt, found.lastReceivedAt].map((time) =>
    new Date(time!).toISOString(),
  );
  const section = (
    questions: readonly QuestionId[],
    what: string,
    rows: readonly Row[],
    headings?: readonly string[],
  ): string[] => [
    '',
    `${questions.join(', ')}: ${what}`,
    ...table(rows, headings).map((line) => cut(`  ${line}`, Math.min(WIDTH, terminal.width))),
  ];
  const counts: readonly Row[] = [
    [contents.json, 'JSON'],
    [contents.other, 'not JSON in UTF-8'],
    [contents.unread, 'not read: encoded, or larger than 1 MiB'],
  ];
  const lines = [
    `${deliveries(found.deliveries)}, from ${first} to ${last}`,
    ...(discarded === 0 ? [] : [`${discarded} discarded left out: the content is deleted`]),
    ...section(['http-method'], 'methods', tallyRows(found.methods)),
    ...section(['media-type'], 'media types', tallyRows(found.mediaTypes)),
    ...section(['media-type'], 'content encodings', tallyRows(found.contentEncodings)),
    ...section(
      ['payload'],
      'contents',
      counts.filter(([number]) => number !== 0),
    ),
    ...section(
      ['plant-fields', 'event-payload-fields', 'event-identity'],
      'fields of JSON',
      fields.flatMap(fieldRows),
      ['VALUES', 'OF', 'TYPE', 'FORMAT', 'FIELD'],
    ),
    ...section(['size-limits'], 'bytes of a content', spreadRows(sizes, String), SPREAD),
    ...section(
      ['retry', 'event-identity'],
      `the same bytes again: ${repeats.deliveries}, and the time between`,
      spreadRows(repeats.between, durationText),
      SPREAD,
    ),
    ...section(
      ['request-versioning', 'signing', 'event-identity'],
      'names of header fields',
      tallyRows(found.headerFields),
    ),
    '',
    'Of a delivery, its path, its access token and the fields of its connection are',
    'not kept. Requests that the receiver refused are not kept either.',
  ];
  return `${lines.join('\n')}\n`;
}

const SPREAD = ['LEAST', 'MEDIAN', 'MOST'];

const tallyRows = (tally: Tally): Row[] => Object.entries(tally).map(([name, number]) => [number, name]);

/** A row for each type. */
const fieldRows = ({ path, of, types, formats }: FieldEvidence): Row[] =>
  Object.entries(types).map(([type, number]) => [
    ...[number, of, type],
    ...[type === 'string' ? formats.join(', ') : '', path || '(the content)'],
  ]);

const spreadRows = (spread: Spread | null, textOf: (value: number) => string): Row[] =>
  spread === null ? [] : [[spread.least, spread.median, spread.most].map(textOf)];

const UNITS: readonly [name: string, milliseconds: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** A duration of milliseconds with its unit, such as `1.5 s`. */
export function durationText(milliseconds: number): string {
  const unit = UNITS.find(([, length]) => milliseconds >= length);
  return unit === undefined ? `${milliseconds} ms` : `${(milliseconds / unit[1]).toFixed(1)} ${unit[0]}`;
}
