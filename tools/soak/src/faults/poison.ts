import { setTimeout as pause } from 'node:timers/promises';

import type { Fate } from '../content.js';
import { Failure } from '../failure.js';
import { type Fault, LOAD_TIME, STEADY_TIME } from './fault.js';

/** The receiver ends, or is ended because it doesn't respond, and is started again until the delivery is parked. */
const inReceiver = (fate: Fate, name: string): Fault => ({
  name,
  on: 'fragile',
  happen: async ({ subject, load, random }) => {
    await pause(random.integer(0, LOAD_TIME / 4));
    const parked = subject.countParked();
    subject.expectEnd();
    if ((await load.sendOne(fate)) !== 204)
      throw new Failure(`A delivery whose handler is to ${fate} is not acknowledged before.`);
    await subject.superviseUntilParked(parked + 1);
  },
});

/** The receiver goes on. */
const inItsOwnProcess = (fate: Fate, name: string): Fault => ({
  name,
  on: 'steady',
  handlerProcess: 'own',
  happen: async ({ subject, load }) => {
    subject.expectRepeats();
    await load.sendOne(fate);
    await pause(STEADY_TIME);
  },
});

/** Handlers that fail in all ways that docs/handler.md lists. */
export const poison: readonly Fault[] = [
  {
    name: 'handler that throws, rejects or changes its delivery',
    on: 'steady',
    happen: async ({ load }) => {
      load.fates = ['fail', 'fail once', 'reject', 'change'];
      await pause(STEADY_TIME);
    },
  },
  inReceiver('exit', 'handler that ends its process'),
  inReceiver('throw', 'handler that throws outside its promise'),
  inReceiver('block', 'handler that blocks'),
  inItsOwnProcess('exit', 'handler that ends a process of its own'),
  inItsOwnProcess('throw', 'handler that throws outside its promise, in a process of its own'),
  inItsOwnProcess('block', 'handler that blocks a process of its own'),
];
