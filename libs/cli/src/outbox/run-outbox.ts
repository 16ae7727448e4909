import { textOf } from '@plant-store/command/printable';
import type { Outbox } from '@plant-store/sdk/outbox';
import { BadInput, type CommandContext, CommandFailed, type OutputValues, say } from '../context.js';
import { failureOf, openOutbox } from './database.js';
import { contentText, headOf, jsonOf, statusText, tableOf } from './print-entries.js';

/** `plant-store outbox migrate` */
export const migrate = (context: CommandContext): Promise<void> =>
  withOutbox(context, async (outbox) => {
    const before = await outbox.migrate();
    return before === 0
      ? 'The outbox was created.\n'
      : `The outbox is up to date; it had version ${before}.\n`;
  });

/** `plant-store outbox status` */
export const status = ({ output }: OutputValues, context: CommandContext): Promise<void> =>
  withOutbox(context, async (outbox) => {
    const counts = await outbox.status();
    return output === 'json' ? jsonOf(counts) : statusText(counts);
  });

export interface ListValues extends OutputValues {
  readonly limit: number;
  readonly after?: number;
}

/** `plant-store outbox list` */
export const list = ({ limit, after, output }: ListValues, context: CommandContext): Promise<void> =>
  withOutbox(context, async (outbox) => {
    const entries = await outbox.listParked({ after, limit });
    if (entries.length === 0) say('No parked entries.', context);
    if (entries.length === limit) say(`For newer ones: --after ${entries.at(-1)!.id}`, context);
    if (output === 'json') return entries.map((entry) => jsonOf(entry, 0)).join('');
    return tableOf(entries, context.stdout);
  });

/** `plant-store outbox show ID` */
export async function show(id: number, { output }: OutputValues, context: CommandContext): Promise<void> {
  if (output === 'raw' && context.stdout.isTTY)
    throw new BadInput('-o raw writes to a file or a pipe, not to a terminal: add > FILE.');
  await withOutbox(context, async (outbox) => {
    const entry = await outbox.find(id);
    if (entry === undefined) throw new CommandFailed(`There is no entry ${id}.`);
    const content = Buffer.from(entry.content);
    if (output === 'raw') return content;
    if (output === 'json') return jsonOf({ ...entry, content: content.toString('base64') });
    const text = textOf(content);
    if (text === undefined) say('the content is not text. To see its bytes, add -o raw | xxd', context);
    return headOf(entry, context.stdout) + contentText(text);
  });
}

export interface SettleValues extends OutputValues {
  readonly all?: boolean;
}

/** `plant-store outbox replay` and `discard` */
export async function settle(
  name: 'replay' | 'discard',
  ids: readonly number[],
  { all = false, output }: SettleValues,
  context: CommandContext,
): Promise<void> {
  if (all !== (ids.length === 0))
    throw new BadInput(`Name the ids to ${name}, or pass --all (and not both).`);
  await withOutbox(context, async (outbox) => {
    const count = await outbox[name](all ? 'all' : ids);
    const left = all ? 0 : new Set(ids).size - count;
    const done = `${count} ${count === 1 ? 'entry' : 'entries'} ${name}ed.`;
    const result = output === 'json' ? jsonOf({ [`${name}ed`]: count, left }) : `${done}\n`;
    if (left === 0) return result;
    if (output === 'json') context.stdout.write(result);
    const verb = left === 1 ? 'is not that of a parked entry' : 'are not those of parked entries';
    throw new CommandFailed(`${done} ${left} of the ids ${verb}.`);
  });
}

/** Does some work with the outbox, and prints what it returns. */
async function withOutbox(
  context: CommandContext,
  work: (outbox: Outbox<unknown>) => Promise<string | Uint8Array>,
): Promise<void> {
  const { signal, stdout } = context;
  const { outbox, close } = openOutbox(context, signal);
  try {
    stdout.write(await work(outbox));
  } catch (error) {
    if (!signal.aborted) throw failureOf(error);
    throw new CommandFailed('interrupted. The database may still finish what it has begun.');
  } finally {
    await close();
  }
}
