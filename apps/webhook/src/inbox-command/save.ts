import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { systemReason } from '@plant-store/command/system-reason';
import { z } from 'zod';

import { ReceiverError } from '../errors.js';
import { backUp, requireUndamaged } from '../inbox/sqlite/back-up.js';
import { type IncomingDelivery, isStorable } from '../inbox/delivery.js';
import type { Inbox } from '../inbox/inbox.js';
import { DELIVERY_STATES } from '../inbox/inbox-operations.js';
import { openInbox } from '../inbox/open-inbox.js';
import { deliveries, inBatches, sumOf, upToNow } from './batches.js';
import { embeddedFolder, withConnection } from './connection.js';
import { jsonText } from './printable.js';
import { filterOf, type Selection } from './options.js';
import { CommandError, type Terminal } from './terminal.js';

interface ExportedBatch {
  readonly deliveries: readonly object[];
  readonly next: number | null;
}

/** `plant-inbox export [FILE]` */
export async function exportDeliveries(
  terminal: Terminal,
  inbox: string,
  file: string | undefined,
  selection: Selection,
): Promise<void> {
  await withConnection(inbox, async (connection) => {
    const output = file === undefined ? undefined : await openFile(file, 'wx');
    try {
      const filter = await upToNow(connection, filterOf(selection));
      const work = { doing: 'Exporting', done: 'exported' };
      const count = await inBatches(terminal, filter, work, async (query) => {
        const { deliveries: found, next } = await connection.get<ExportedBatch>('/deliveries/batch', query);
        const lines = found.map((delivery) => jsonText(delivery, 0)).join('');
        await (output === undefined ? terminal.write(lines) : output.writeFile(lines));
        return { count: found.length, next };
      });
      await output?.sync();
      terminal.report(`${deliveries(count)} exported.`);
    } catch (error) {
      if (file !== undefined) terminal.report(`${file} is partial.`);
      throw file !== undefined && isSystemError(error) ? unusable(file, error) : error;
    } finally {
      await output?.close();
    }
  });
}

async function openFile(file: string, flags: 'r' | 'wx'): Promise<FileHandle> {
  try {
    const opened = await open(file, flags, 0o600);
    if (!(await opened.stat()).isDirectory()) return opened;
    await opened.close();
  } catch (error) {
    throw unusable(file, error);
  }
  throw new CommandError(`${file} is a folder. Name a file.`);
}

/** What is wrong with a file that the command line names, or with the one that is written before it has that name. */
function unusable(file: string, error: unknown): CommandError {
  const { code, path = file } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return new CommandError(`${path} exists already. Name a new file.`);
  return new CommandError(`${path} can't be used: ${systemReason(error)}.`);
}

const isSystemError = (error: unknown): boolean => (error as NodeJS.ErrnoException).errno !== undefined;

/** How many characters of lines are stored together. */
const BATCH_LENGTH = 1_048_576;

const text = z.string().refine(isStorable, 'has U+0000 or half of a surrogate pair');

/** A line of an export. What else it has isn't stored. An earlier version exported no key: then there is a new one. */
const exportedDelivery = z.object({
  key: z.uuid().toLowerCase().optional(),
  state: z.enum(DELIVERY_STATES),
  method: text,
  mediaType: text.nullable(),
  contentEncoding: text.nullable(),
  eventId: text.nullable(),
  fields: z.array(z.tuple([z.string(), z.string()])).default([]),
  content: z.base64(),
});

const START_AGAIN =
  'Import into a new inbox: a folder that does not exist, or a database without the schema plant_store.';

/** `plant-inbox import [FILE]` */
export async function importDeliveries(
  terminal: Terminal,
  url: string,
  file: string | undefined,
  options: { handled?: true },
): Promise<void> {
  const input = file === undefined ? undefined : await openFile(file, 'r');
  try {
    await importFrom(input, terminal, url, options);
  } finally {
    await input?.close();
  }
}

/** @param input undefined for the terminal's */
async function importFrom(
  input: FileHandle | undefined,
  terminal: Terminal,
  url: string,
  { handled: withHandled }: { handled?: true },
): Promise<void> {
  const inbox = await openInbox(url);
  let batch: { readonly delivery: IncomingDelivery; readonly key: string | undefined }[] = [];
  let [length, omitted, number] = [0, 0, 0];
  const flush = async (): Promise<void> => {
    await Promise.all(batch.map(({ delivery, key }) => inbox.accept(delivery, key)));
    [batch, length] = [[], 0];
    terminal.showProgress(`Importing: line ${number.toLocaleString('en-US')}`);
  };
  try {
    if ((await countOf(inbox)) > 0)
      throw new CommandError(`${inbox.location} has deliveries. ${START_AGAIN}`);
    // Not before the inbox is open: lines that come while nobody waits for them are lost.
    const lines = input?.readLines() ?? createInterface({ input: terminal.stdin, crlfDelay: Infinity });
    for await (const line of lines) {
      number += 1;
      if (line === '') continue;
      const { state, key, content, ...head } = parseLine(line, number);
      if (state === 'discarded' || (state === 'handled' && !withHandled)) omitted += 1;
      else batch.push({ key, delivery: { ...head, content: Buffer.from(content, 'base64') } });
      length += line.length;
      if (length >= BATCH_LENGTH) await flush();
    }
    await flush();
    // Several deliveries of one event are stored once.
    terminal.report(
      `${deliveries(await countOf(inbox))} imported, ${omitted} handled or discarded left out.`,
    );
  } finally {
    terminal.showProgress('');
    await inbox.close();
  }
}

async function countOf(inbox: Inbox): Promise<number> {
  const counts = await inbox.operations.stats();
  return sumOf(DELIVERY_STATES.map((state) => counts[state]));
}

function parseLine(line: string, number: number): z.infer<typeof exportedDelivery> {
  try {
    return exportedDelivery.parse(JSON.parse(line));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const member = issue?.path.join('.');
    const reason = issue === undefined ? 'it is not JSON' : `${member || 'it'} is missing or wrong`;
    throw new CommandError(`Line ${number} is no exported delivery: ${reason}. Correct it. ${START_AGAIN}`);
  }
}

/** `plant-inbox backup FILE` */
export async function backup(terminal: Terminal, inbox: string, file: string): Promise<void> {
  requireEmbedded(inbox, 'backup copies an embedded inbox. For this one, use pg_dump.');
  // Known before everything is copied.
  if (existsSync(file)) throw new CommandError(`${file} exists already. Name a new file.`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new CommandError(`There is no folder ${folder}. Make it first.`);
  const bytes = copyTo(file, embeddedFolder(inbox));
  await terminal.write(`The inbox is copied to ${file}: ${bytes.toLocaleString('en-US')} bytes.\n`);
}

function copyTo(file: string, inbox: string): number {
  try {
    return backUp(inbox, file);
  } catch (error) {
    throw error instanceof ReceiverError ? error : unusable(file, error);
  }
}

/** `plant-inbox check` */
export async function check(terminal: Terminal, inbox: string): Promise<void> {
  requireEmbedded(inbox, 'check reads the files of an embedded inbox. For this one, use pg_amcheck.');
  requireUndamaged(embeddedFolder(inbox));
  await terminal.write('No damage was found.\n');
}

function requireEmbedded(url: string, otherwise: string): void {
  if (!url.startsWith('file:')) throw new CommandError(otherwise, 2);
}
