import { setTimeout as pause } from 'node:timers/promises';

import { type Fault, STEADY_TIME, untilAccepted } from './fault.js';

/** Whoever reads the log stops reading for a while, and the handler fails often, so that there is much to log. */
export const stalledLog: readonly Fault[] = [
  {
    name: 'log that nobody reads',
    on: 'steady',
    happen: async ({ subject, load }) => {
      load.fates = ['fail once'];
      load.fateShare = 0.7;
      subject.receiver.readLog(false);
      await pause(STEADY_TIME);
      await untilAccepted(subject);
      subject.receiver.readLog(true);
    },
  },
];
