import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import type { QuestionId } from '@plant-store/contract';

import type { Inbox } from '../inbox/inbox.js';
import type { DeliveryFilter, ExportedDelivery } from '../inbox/inbox-operations.js';
import { JsonFields, type JsonEvidence } from './json-fields.js';
import { type Names, type Spread, SpreadCounter, Tally } from './tally.js';

/** Contents that came more than once, with the same bytes. */
export interface RepeatEvidence {
  /** How many contents. */
  readonly contents: number;
  /** How many deliveries repeat one that came before. */
  readonly deliveries: number;
  /** Between a delivery and the one before with the same bytes, in milliseconds; null without repeats. */
  readonly between: Spread | null;
  /** How many deliveries were not compared with later ones: there are too many different contents. */
  readonly forgotten: number;
}

/** What deliveries show. It is made of shapes and counts: no value of a header field or of a content is in it. */
export interface Evidence {
  /** How many deliveries it is about. */
  readonly deliveries: number;
  /** How many were left out, because they are discarded: their content is deleted. */
  readonly discarded: number;
  /** When the first and the last one were received, in milliseconds since 1970; null if there are none. */
  readonly firstReceivedAt: number | null;
  readonly lastReceivedAt: number | null;
  /** The id of the last delivery that was read, if the time was over before the end; null otherwise. */
  readonly stoppedAfter: number | null;
  /** The questions for which each of the following members is of use. */
  readonly questions: typeof EVIDENCE_FOR;
  readonly methods: Names;
  /** In lower case, without parameters. */
  readonly mediaTypes: Names;
  readonly contentEncodings: Names;
  readonly content: JsonEvidence;
  /** Of the contents, in bytes; null if there are none. */
  readonly sizes: Spread | null;
  readonly repeats: RepeatEvidence;
  /** Names in lower case. Credentials and fields of the connection are not kept. */
  readonly headerFields: Names;
}

/** The questions for which a member of {@link Evidence} is of use. */
export const EVIDENCE_FOR = {
  methods: ['http-method'],
  mediaTypes: ['media-type'],
  contentEncodings: ['media-type'],
  content: ['payload', 'plant-fields', 'event-payload-fields', 'event-identity'],
  sizes: ['size-limits'],
  repeats: ['retry', 'event-identity'],
  headerFields: ['request-versioning', 'signing', 'event-identity'],
} as const satisfies Readonly<Record<string, readonly QuestionId[]>>;

/** How many deliveries are read at once. */
const BATCH = 100;
/** How long it works, and how long it rests then, in milliseconds: an acknowledgement takes several turns of the loop. */
const MAX_TURN = 1;
const REST = 2;
/** How long it may take, in milliseconds. */
const MAX_DURATION = 30_000;
/** How many different contents are remembered. */
const MAX_CONTENTS = 200_000;

/** Stands for what is missing, and for what has another syntax than it should. */
const NONE = '(none)';
const OTHER = '(other)';

const METHOD = /^[A-Z]{1,20}$/;
const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/;
/** As IANA has registered them. */
const CODINGS = ['identity', 'gzip', 'x-gzip', 'compress', 'x-compress', 'deflate', 'br', 'zstd'];

/**
 * Collects what stored deliveries show. It reads them in batches, rests now and then so that acknowledgements don't
 * wait for it, and needs memory that doesn't grow with their number.
 *
 * @param filter chooses the deliveries; those that arrive meanwhile are left out
 * @param isAborted asked now and then: whether nobody waits for the result any more
 * @param maxDuration in milliseconds; what follows then is left out, see `stoppedAfter`
 * @throws ReceiverError of the inbox
 */
export async function collectEvidence(
  inbox: Pick<Inbox, 'list' | 'read'>,
  filter: DeliveryFilter,
  isAborted: () => boolean = () => false,
  maxDuration = MAX_DURATION,
): Promise<Evidence> {
  const collector = new Collector();
  const end = performance.now() + maxDuration;
  const [newest] = await inbox.list(filter, { order: 'newest first', limit: 1 });
  const upToNow = { ...filter, lastId: newest?.id ?? 0 };
  let after: number | undefined = 0;
  while (after !== undefined && after < upToNow.lastId) {
    if (isAborted() || performance.now() >= end) return collector.result(after);
    const part: Awaited<ReturnType<Inbox['read']>> = await inbox.read({
      filter: upToNow,
      after,
      limit: BATCH,
    });
    let began = performance.now();
    for (const delivery of part.deliveries) {
      collector.add(delivery);
      if (performance.now() - began < MAX_TURN) continue;
      await setTimeout(REST);
      began = performance.now();
    }
    await setTimeout(REST);
    after = part.next;
  }
  return collector.result(null);
}

class Collector {
  #deliveries = 0;
  #discarded = 0;
  #firstReceivedAt: number | null = null;
  #lastReceivedAt: number | null = null;
  readonly #methods = new Tally();
  readonly #mediaTypes = new Tally();
  readonly #contentEncodings = new Tally();
  readonly #json = new JsonFields();
  readonly #sizes = new SpreadCounter();
  readonly #repeats = new Repeats();
  readonly #headerFields = new Tally();

  add(delivery: ExportedDelivery): void {
    if (delivery.state === 'discarded') {
      this.#discarded += 1;
      return;
    }
    const { method, mediaType, contentEncoding, receivedAt, fields, content } = delivery;
    const encoding = codingsOf(contentEncoding);
    this.#deliveries += 1;
    this.#firstReceivedAt ??= receivedAt;
    this.#lastReceivedAt = receivedAt;
    this.#methods.add(METHOD.test(method) ? method : OTHER);
    this.#mediaTypes.add(essenceOf(mediaType));
    this.#contentEncodings.add(encoding);
    this.#json.add(content, encoding !== NONE && encoding !== 'identity');
    this.#sizes.add(content.length);
    this.#repeats.add(content, receivedAt);
    for (const name of new Set(fields.map(([each]) => each.toLowerCase()))) this.#headerFields.add(name);
  }

  result(stoppedAfter: number | null): Evidence {
    return {
      deliveries: this.#deliveries,
      discarded: this.#discarded,
      firstReceivedAt: this.#firstReceivedAt,
      lastReceivedAt: this.#lastReceivedAt,
      stoppedAfter,
      questions: EVIDENCE_FOR,
      methods: this.#methods.result(),
      mediaTypes: this.#mediaTypes.result(),
      contentEncodings: this.#contentEncodings.result(),
      content: this.#json.result(),
      sizes: this.#sizes.result(),
      repeats: this.#repeats.result(),
      headerFields: this.#headerFields.result(),
    };
  }
}

/** Recognises contents by the beginning of their digest, which is a number. */
class Repeats {
  readonly #lastReceivedAt = new Map<number, number>();
  readonly #repeated = new Set<number>();
  readonly #between = new SpreadCounter();
  #deliveries = 0;
  #forgotten = 0;

  add(content: Uint8Array, receivedAt: number): void {
    const key = hash('sha256', content, 'buffer').readUIntBE(0, 6);
    const before = this.#lastReceivedAt.get(key);
    if (before !== undefined) {
      this.#deliveries += 1;
      this.#repeated.add(key);
      // The clock may have been set back.
      this.#between.add(Math.max(0, receivedAt - before));
    } else if (this.#lastReceivedAt.size === MAX_CONTENTS) {
      this.#forgotten += 1;
      return;
    }
    this.#lastReceivedAt.set(key, receivedAt);
  }

  result(): RepeatEvidence {
    return {
      contents: this.#repeated.size,
      deliveries: this.#deliveries,
      between: this.#between.result(),
      forgotten: this.#forgotten,
    };
  }
}

/** A media type without its parameters, which are values. */
function essenceOf(mediaType: string | null): string {
  if (mediaType === null || mediaType === '') return NONE;
  const essence = mediaType.split(';', 1)[0]!.trim().toLowerCase();
  return MEDIA_TYPE.test(essence) ? essence : OTHER;
}

function codingsOf(contentEncoding: string | null): string {
  if (contentEncoding === null || contentEncoding === '') return NONE;
  const codings = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase());
  return codings.every((coding) => CODINGS.includes(coding)) ? codings.slice(0, 4).join(', ') : OTHER;
}
