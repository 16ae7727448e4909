import { setTimeout as pause } from 'node:timers/promises';

import type { Fate } from '../content.js';
import { type Fault, LOAD_TIME, STEADY_TIME } from './fault.js';

/** The receiver ends, or is ended because it doesn't respond, until the delivery is parked. */
const endsTheProcess = (fate: Fate, name: string): Fault => ({
  name,
  on: 'fragile',
  happen: async ({ subject, load, random }) => {
    await pause(random.integer(0, LOAD_TIME / 4));
    const parked = subject.countParked();
    subject.expectEnd();
    if ((await load.sendOne(fate)) === 204) await subject.superviseUntilParked(parked + 1);
  },
});

/** Handlers that fail in all ways that docs/receiver.md lists. */
export const poison: readonly Fault[] = [
  {
    name: 'handler that throws, rejects or changes its delivery',
    on: 'steady',
    happen: async ({ load }) => {
      load.fates = ['fail', 'fail once', 'reject', 'change'];
      await pause(STEADY_TIME);
    },
  },
  endsTheProcess('exit', 'handler that ends the process'),
  endsTheProcess('throw', 'handler that throws outside its promise'),
  endsTheProcess('block', 'handler that blocks'),
];
