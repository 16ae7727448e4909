import { setTimeout as pause } from 'node:timers/promises';

import { type Fault, STEADY_TIME } from './fault.js';

/** Whoever reads the log stops reading for a while. */
export const stalledLog: readonly Fault[] = [
  {
    name: 'log that nobody reads',
    on: 'steady',
    happen: async ({ subject }) => {
      subject.receiver.readLog(false);
      await pause(STEADY_TIME);
      subject.receiver.readLog(true);
    },
  },
];
