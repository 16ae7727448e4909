import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { z } from 'zod';

import { type Inbox, type IncomingDelivery, isEventId } from '../inbox/inbox.js';
import { openSqliteInbox } from '../inbox/sqlite-inbox.js';
import { type CommandArguments, CommandError } from './command.js';

/** Most deliveries, and most characters of lines, that are stored together. */
const MAX_BATCH = 256;
const MAX_BATCH_LENGTH = 16_777_216;

const nullableText = z.string().nullable();

/** A line of an export. What else it has isn't stored. */
const lineSchema = z.object({
  state: z.enum(['handled', 'waiting', 'parked', 'discarded', 'unknown']),
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

/** Stores exported deliveries in a new inbox. Returns 0. */
export async function importInbox({ folder, file, handled }: CommandArguments): Promise<number> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CommandError(`${folder} is not empty: name a folder that is empty or doesn't exist`, 1);
  const input = file === undefined ? process.stdin : createReadStream(file);
  const lines = createInterface({ input, crlfDelay: Infinity });
  const inbox = openSqliteInbox(folder);
  const counts = { stored: 0, omitted: 0 };
  let line = 0;
  let batch: IncomingDelivery[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    await storeInOrder(inbox, batch);
    counts.stored += batch.length;
    batch = [];
    length = 0;
  };
  try {
    for await (const text of lines) {
      line += 1;
      if (text === '') continue;
      const { state, ...delivery } = parse(text, line);
      if (state === 'discarded' || (state === 'handled' && !handled)) {
        counts.omitted += 1;
        continue;
      }
      batch.push({ ...delivery, content: Buffer.from(delivery.content, 'base64') });
      length += text.length;
      if (batch.length >= MAX_BATCH || length >= MAX_BATCH_LENGTH) await flush();
    }
    await flush();
  } finally {
    await inbox.close();
    process.stderr.write(
      `deliveries stored: ${counts.stored}; handled or discarded ones left out: ${counts.omitted}.\n`,
    );
  }
  return 0;
}

/** They are numbered in the order in which they are passed. */
async function storeInOrder(inbox: Inbox, batch: readonly IncomingDelivery[]): Promise<void> {
  await Promise.all(batch.map((delivery) => inbox.accept(delivery)));
}

function parse(text: string, line: number): z.infer<typeof lineSchema> {
  const result = lineSchema.safeParse(asJson(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue!.path.length === 0 ? 'it' : issue!.path.join('.');
  throw new CommandError(
    `line ${line} is not an exported delivery: ${where}: ${issue!.message}. Correct it, delete the folder and import again`,
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
