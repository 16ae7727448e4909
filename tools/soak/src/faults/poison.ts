import { setTimeout as pause } from 'node:timers/promises';

import type { Fate } from '../ledger.js';
import { Failure } from '../receiver.js';
import { type Fault, LOAD_TIME, STEADY_TIME } from './fault.js';

/** The receiver ends, and is started again until the delivery is parked. */
const ends = (fate: Fate, name: string): Fault => ({
  name,
  on: 'fragile',
  happen: async ({ subject, load, random }) => {
    await pause(random.integer(0, LOAD_TIME / 4));
    subject.handlerEnds = true;
    subject.expectEnd();
    if ((await load.sendOne(fate)) !== 204)
      throw new Failure(`A delivery whose handler is to ${fate} is not acknowledged before.`);
    await subject.receiver.ended();
    await subject.start();
  },
});

/** Handlers that fail in all ways that docs/how-to/write-a-handler.md lists. */
export const poison: readonly Fault[] = [
  {
    name: 'handler that throws, rejects or changes its delivery',
    on: 'steady',
    happen: async ({ load }) => {
      load.fates = ['fail', 'fail once', 'reject', 'change'];
      await pause(STEADY_TIME);
    },
  },
  ends('exit', 'handler that ends its process'),
  ends('throw', 'handler that throws outside its promise'),
  ends('block', 'handler that blocks'),
];
