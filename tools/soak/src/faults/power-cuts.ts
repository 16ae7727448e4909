import { setTimeout as pause } from 'node:timers/promises';

import { type Fault, LOAD_TIME, type Round } from './fault.js';
import { endAtStart } from './kills.js';

/** The receiver is ended, and the folder of its inbox gets what a power cut could leave: see disk.ts. */
export const powerCuts: readonly Fault[] = [
  {
    name: 'power cut',
    on: 'fragile',
    cutsPower: true,
    happen: async ({ subject, random }) => {
      await pause(random.integer(0, LOAD_TIME));
      await subject.cutPower(random);
    },
  },
  {
    name: 'power cut while it starts after a power cut',
    on: 'fragile',
    cutsPower: true,
    happen: async (round) => {
      await pause(round.random.integer(0, LOAD_TIME / 2));
      await round.subject.cutPower(round.random);
      await cutAtStart(round);
    },
  },
  {
    name: 'power cut while it stops',
    on: 'fragile',
    cutsPower: true,
    happen: async ({ subject, random }) => {
      await pause(random.integer(0, LOAD_TIME));
      subject.receiver.signal('SIGTERM');
      subject.expectEnd();
      await pause(random.integer(0, 100));
      await subject.cutPower(random);
    },
  },
  {
    name: 'power cut while it creates its inbox',
    on: 'new',
    cutsPower: true,
    happen: async (round) => {
      for (let left = round.random.integer(1, 3); left > 0; left -= 1) await cutAtStart(round);
    },
  },
];

const cutAtStart = (round: Round): Promise<void> =>
  endAtStart(round, () => round.subject.cutPower(round.random));
