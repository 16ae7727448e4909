import { setTimeout } from 'node:timers/promises';

import { MAX_LIMIT } from '../operations/parameters.js';
import { withConnection } from './connection.js';
import { listText, type Listed } from './look.js';
import { jsonLines, type Output } from './printable.js';
import { CommandError, type Terminal } from './terminal.js';

/** How long {@link tail} waits before it looks again, in milliseconds. */
const INTERVAL = 1_000;

/**
 * `plant-inbox tail`: ends with Ctrl-C. It lists the newest deliveries once a second, and writes those that it hasn't seen. On
 * a shared inbox, one transaction takes a smaller id than another and may end later: such a delivery is among the newest, too.
 */
export async function tail(
  terminal: Terminal,
  inbox: string,
  { output }: { output?: Output },
): Promise<void> {
  const asJson = (output ?? (terminal.isTTY ? 'text' : 'json')) === 'json';
  const interrupted = terminal.interruption();
  await withConnection(inbox, async ({ get, isRunning }) => {
    if (isRunning === false)
      throw new CommandError('No receiver has the inbox open, so nothing arrives. Start it, then run tail.');
    const newest = async (): Promise<Listed['deliveries']> =>
      (await get<Listed>('/deliveries', { limit: MAX_LIMIT })).deliveries;
    let known = await newest();
    terminal.report('New deliveries follow. Ctrl-C ends this.');
    while (!interrupted.aborted) {
      const listed = await newest();
      // Older ones may be among them, when others were deleted.
      const first = known.length < MAX_LIMIT ? 0 : known.at(-1)!.id;
      const seen = new Set(known.map(({ id }) => id));
      const added = listed.filter(({ id }) => id > first && !seen.has(id)).toReversed();
      if (added.length > 0)
        await terminal.write(asJson ? jsonLines(added) : listText(terminal, added).replace(/^.*\n/, ''));
      if (added.length === MAX_LIMIT)
        terminal.report(
          `More than ${MAX_LIMIT} have arrived at once. Those before ${added[0]!.id} are left out.`,
        );
      known = listed;
      await setTimeout(INTERVAL, undefined, { signal: interrupted }).catch(() => undefined);
    }
  });
}
