import { setTimeout as pause } from 'node:timers/promises';

import { Operator } from '../operator.js';
import { type Fault, LOAD_TIME, type Round } from './fault.js';

/** A start takes about this long, in milliseconds, so a random moment of it lies within. */
const START_TIME = 900;

/** How long handled deliveries stay stored while an operator works, in milliseconds. */
const RETENTION = 1_000;

/** The receiver is ended at random moments. */
export const kills: readonly Fault[] = [
  {
    name: 'SIGKILL',
    on: 'fragile',
    happen: async ({ subject, random }) => {
      await pause(random.integer(0, LOAD_TIME));
      await subject.kill();
    },
  },
  {
    name: 'SIGKILL while it starts',
    on: 'fragile',
    happen: async (round) => {
      await pause(round.random.integer(0, LOAD_TIME / 2));
      await round.subject.kill();
      for (let left = round.random.integer(1, 3); left > 0; left -= 1) await killAtStart(round);
    },
  },
  {
    name: 'SIGKILL while it stops',
    on: 'fragile',
    happen: async ({ subject, random }) => {
      await pause(random.integer(0, LOAD_TIME));
      subject.receiver.signal('SIGTERM');
      subject.expectEnd();
      await pause(random.integer(0, 100));
      await subject.kill();
    },
  },
  {
    name: 'SIGKILL while an operator works',
    on: 'new',
    happen: async ({ subject, load, random }) => {
      load.fates = ['fail', 'fail once', 'change', 'wait'];
      load.fateShare = 0.3;
      subject.retention = RETENTION;
      for (let left = random.integer(2, 4); left > 0; left -= 1) {
        await subject.start();
        const operator = new Operator(subject, random.fork());
        operator.start();
        await pause(random.integer(LOAD_TIME / 4, LOAD_TIME));
        await subject.kill();
        await operator.stop();
      }
      await subject.start();
      await subject.operations.change('/handler/resume');
    },
  },
  {
    name: 'SIGTERM',
    on: 'fragile',
    happen: async ({ subject, random }) => {
      await pause(random.integer(0, LOAD_TIME));
      await subject.stop();
    },
  },
];

/** Starts the receiver, and kills it before it listens, or soon after. */
async function killAtStart({ subject, random }: Round): Promise<void> {
  const receiver = subject.spawn();
  if (random.chance(0.5)) await receiver.listening();
  await pause(random.integer(0, receiver.port === undefined ? START_TIME : 100));
  await subject.kill();
}
