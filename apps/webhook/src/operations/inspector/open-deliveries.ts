import type { Operations } from '../../inbox/operations.js';
import type { StoredDelivery } from '../../inbox/inbox-operations.js';
import { curlOf, type Form, formsOf, isVisible, type Json, jsonOf, linesOf, whyNotText } from './content.js';

/** Longest content that is copied as text, in bytes. */
const COPY_LIMIT = 1_048_576;

/** Most deliveries that are kept. */
const MOST = 16;

/** A content in one of its forms. */
export interface ShownContent {
  readonly id: number;
  readonly forms: readonly Form[];
  readonly form: Form;
  /** Why it isn't text; undefined if it is. */
  readonly why: string | undefined;
  readonly shown: ({ readonly json: Json } | { readonly text: string }) & { readonly isCut: boolean };
  /** How all of it gets into the clipboard: what nobody sees must not get into a terminal. */
  readonly copiedAs: 'text' | 'base64';
}

/** A stored delivery without its content. */
export type ReadDelivery = Omit<StoredDelivery, 'content'>;

/** A delivery that somebody looks at. */
export interface OpenDelivery {
  readonly delivery: ReadDelivery;
  /** Undefined if it was deleted. */
  readonly content: ShownContent | undefined;
  /** The command that sends it again, see `curlOf`. */
  readonly curl: (url: string, contentUrl: string) => string;
}

/**
 * Deliveries that somebody looks at. Each is read when it is opened, and again when it has changed: its content may be long,
 * and a page asks every two seconds.
 */
export class OpenDeliveries {
  readonly #read = new Map<
    string,
    { readonly version: string; readonly open: Promise<OpenDelivery | undefined> }
  >();

  constructor(private readonly inbox: Operations) {}

  /**
   * @param form by default the one that suits the content best
   * @returns undefined if there is none with this id
   */
  async find(id: number, form: Form | undefined): Promise<OpenDelivery | undefined> {
    const [summary] = await this.inbox.list({ ids: [id] }, { order: 'newest first', limit: 1 });
    const name = `${id} ${form ?? ''}`;
    const version = JSON.stringify(summary ?? null);
    const known = this.#read.get(name);
    const open = known !== undefined && known.version === version ? known.open : this.#open(id, form);
    this.#read.delete(name);
    this.#read.set(name, { version, open });
    if (this.#read.size > MOST) this.#read.delete(this.#read.keys().next().value!);
    const found = await open;
    const act = found?.delivery.act;
    if (found === undefined || !act) return found;
    // An act changes without its deliveries.
    return { ...found, delivery: { ...found.delivery, act: (await this.inbox.acts.find(act.id)) ?? null } };
  }

  async #open(id: number, wanted: Form | undefined): Promise<OpenDelivery | undefined> {
    const [found, { deliveries }] = await Promise.all([
      this.inbox.find(id),
      this.inbox.read({ filter: { ids: [id] }, after: 0, limit: 1 }),
    ]);
    const [stored] = deliveries;
    if (found === undefined || stored === undefined) return undefined;
    const { content: bytes, ...delivery } = found;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { method, fields } = stored;
    // Of a long content, a command has the address.
    const sent = { method, fields, content: Buffer.from(content.subarray(0, COPY_LIMIT)) };
    return {
      delivery,
      content: delivery.state === 'discarded' ? undefined : shownContent(id, content, wanted),
      curl: (url, contentUrl) => curlOf(sent, url, contentUrl),
    };
  }
}

function shownContent(id: number, content: Buffer, wanted: Form | undefined): ShownContent {
  const forms = formsOf(content);
  const form = wanted !== undefined && forms.includes(wanted) ? wanted : forms[0]!;
  const why = whyNotText(content);
  const isPlain = content.length <= COPY_LIMIT && why === undefined && isVisible(content.toString());
  return {
    ...{ id, forms, form, why },
    shown: form === 'json' ? jsonOf(content) : linesOf(content, form),
    copiedAs: isPlain && form !== 'base64' ? 'text' : 'base64',
  };
}
