import { once } from 'node:events';
import { createReadStream, existsSync, readdirSync, type ReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { z } from 'zod';

import { inboxFolder } from '../config/inbox-folder.js';
import { type Inbox, type IncomingDelivery, isEventId } from '../inbox/inbox.js';
import { DELIVERY_STATES } from '../inbox/inbox-operations.js';
import { openInbox } from '../inbox/open-inbox.js';
import { type Command, CommandError } from './command-line.js';
import { fileOf } from './export.js';
import { report } from './terminal/output.js';
import { startProgress } from './terminal/progress.js';

/** Most deliveries, and most characters of lines, that are stored together. */
const MAX_BATCH = 256;
const MAX_BATCH_LENGTH = 16_777_216;

const nullableText = z.string().nullable();

/** A line of an export. What else it has isn't stored. */
const lineSchema = z.object({
  state: z.enum(DELIVERY_STATES),
  method: z.string(),
  mediaType: nullableText,
  contentEncoding: nullableText,
  eventId: nullableText.refine(
    (id) => id === null || isEventId(id),
    'has U+0000 or half of a surrogate pair',
  ),
  // Older exports have none.
  fields: z.array(z.tuple([z.string(), z.string()])).default([]),
  content: z.base64(),
});

export const importDeliveries: Command = {
  operands: '[FILE]',
  summary: 'Stores exported deliveries in a new inbox.',
  details: `It reads what export has written, from a file or from standard input. The folder of
the inbox must be empty or not exist. The deliveries get new ids and times, and all of
them wait for the handler, parked ones too. Handled ones are left out without
--handled, and discarded ones always.`,
  options: ['handled'],
  async run(given) {
    const file = fileOf('import', given);
    requireNewFolder(given.inbox);
    const input = await openInput(file);
    const inbox = await openEmptyInbox(given.inbox);
    // Not before the inbox is open: lines that come while nobody waits for them are lost.
    const lines = createInterface({ input, crlfDelay: Infinity });
    const batch = new Batch(inbox);
    let omitted = 0;
    const progress = startProgress('Importing', file === undefined ? undefined : statSync(file).size);
    let line = 0;
    try {
      for await (const text of lines) {
        line += 1;
        progress.update((input as ReadStream).bytesRead, batch.stored);
        if (text === '') continue;
        const { state, ...delivery } = parse(text, line, given.inbox);
        if (state === 'discarded' || (state === 'handled' && !given.has('handled'))) omitted += 1;
        else await batch.add({ ...delivery, content: Buffer.from(delivery.content, 'base64') }, text.length);
      }
      await batch.flush();
      await requireAlone(inbox, given.inbox, batch.stored);
      return 0;
    } finally {
      progress.stop();
      await inbox.close();
      report(`deliveries stored: ${batch.stored}; handled or discarded ones left out: ${omitted}.`);
    }
  },
};

/** Looked at before the inbox is opened, which would create it. */
function requireNewFolder(url: string): void {
  if (!url.startsWith('file:')) return;
  const folder = inboxFolder(url);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CommandError(`${folder} is not empty: name a folder that is empty or doesn't exist`, 1);
}

async function openEmptyInbox(url: string): Promise<Inbox> {
  const inbox = await openInbox(url);
  try {
    if ((await countOf(inbox)) === 0) return inbox;
    throw new CommandError(
      `${inbox.location} has deliveries: name an inbox without any. If they are of an import that was cut off, ${howToClear(url)} and import again`,
      1,
    );
  } catch (error) {
    await inbox.close();
    throw error;
  }
}

/** Nothing keeps a receiver or another import away from a shared inbox. */
async function requireAlone(inbox: Inbox, url: string, stored: number): Promise<void> {
  const count = await countOf(inbox);
  if (count === stored) return;
  throw new CommandError(
    `${inbox.location} has ${count} deliveries: a receiver or another import has used it meanwhile. Stop it, ${howToClear(url)} and import again`,
    1,
  );
}

async function countOf(inbox: Inbox): Promise<number> {
  const { waiting, handled, parked, discarded } = await inbox.stats();
  return waiting + handled + parked + discarded;
}

const howToClear = (url: string): string =>
  url.startsWith('file:') ? 'delete the folder' : 'drop the schema plant_store';

async function openInput(file: string | undefined): Promise<NodeJS.ReadableStream> {
  if (file === undefined) return process.stdin;
  const input = createReadStream(file);
  try {
    await once(input, 'open');
    return input;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new CommandError(`${file} can't be read: ${reason}.`, 1);
  }
}

/** Deliveries that are stored together. They are numbered in the order in which they are added. */
class Batch {
  #deliveries: IncomingDelivery[] = [];
  #length = 0;
  #lastId = 0;
  /** How many deliveries the inbox has got. A further one of an event isn't stored. */
  stored = 0;

  constructor(private readonly inbox: Inbox) {}

  async add(delivery: IncomingDelivery, length: number): Promise<void> {
    this.#deliveries.push(delivery);
    this.#length += length;
    if (this.#deliveries.length >= MAX_BATCH || this.#length >= MAX_BATCH_LENGTH) await this.flush();
  }

  /** If some can't be stored, the others are counted all the same. */
  async flush(): Promise<void> {
    const batch = this.#deliveries;
    this.#deliveries = [];
    this.#length = 0;
    const results = await Promise.allSettled(batch.map((delivery) => this.inbox.accept(delivery)));
    const ids = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    this.stored += new Set(ids.filter((id) => id > this.#lastId)).size;
    this.#lastId = Math.max(this.#lastId, ...ids);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

function parse(text: string, line: number, url: string): z.infer<typeof lineSchema> {
  const result = lineSchema.safeParse(asJson(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue!.path.length === 0 ? 'it' : issue!.path.join('.');
  throw new CommandError(
    `line ${line} is not an exported delivery: ${where}: ${issue!.message}. Correct it, ${howToClear(url)} and import again`,
    1,
  );
}

/** Undefined if the text isn't JSON. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
