import type { Command } from './command-line.js';
import { openOperations } from './connection/open-operations.js';
import { isoTime, shownTime } from './delivery-text.js';
import { standardOutput, terminalWidth } from './terminal/output.js';
import { jsonLine } from './terminal/printable.js';
import { nameTable } from './terminal/table.js';

export const stats: Command = {
  operands: '',
  summary: 'Counts deliveries by state, and says whether the handler is paused.',
  details: '',
  options: ['json'],
  async run(given) {
    const { operations, isRunning, close } = await openOperations(given.inbox);
    try {
      const {
        waiting,
        handled,
        parked,
        discarded,
        oldestWaitingAt: oldest,
        bytes,
        isPaused,
      } = await operations.stats();
      if (given.has('json')) {
        const oldestWaitingAt = oldest === null ? null : isoTime(oldest);
        await standardOutput.write(
          jsonLine({
            waiting,
            handled,
            parked,
            discarded,
            oldestWaitingAt,
            bytes,
            isPaused,
          }),
        );
        return 0;
      }
      const rows: [string, string][] = [
        ...(isRunning === undefined
          ? []
          : [['receiver', isRunning ? 'running' : 'stopped'] as [string, string]]),
        ['handler', isPaused ? 'paused' : 'not paused'],
        ['waiting', numberText(waiting) + (oldest === null ? '' : `, the oldest since ${shownTime(oldest)}`)],
        ['handled', numberText(handled)],
        ['parked', numberText(parked)],
        ['discarded', numberText(discarded)],
        ['on disk', `${numberText(bytes)} bytes`],
      ];
      await standardOutput.write(nameTable(rows, terminalWidth()));
      return 0;
    } finally {
      await close();
    }
  },
};

const numberText = (value: number): string => value.toLocaleString('en-US');
