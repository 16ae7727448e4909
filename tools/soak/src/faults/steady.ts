import { setTimeout as pause } from 'node:timers/promises';

import type { Load } from '../load.js';
import { Failure } from '../receiver.js';
import { type Fault, STEADY_TIME, untilAccepted } from './fault.js';

/** How long a change of the token file may take until it has an effect, in milliseconds. */
const PATIENCE = 10_000;

export const nothing: readonly Fault[] = [{ name: 'none', on: 'steady', happen: () => pause(STEADY_TIME) }];

/** Whoever reads the log stops reading for a while, and the handler fails often, so that there is much to log. */
export const logs: readonly Fault[] = [
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

/** The access token is replaced while deliveries are sent: first both are accepted, then only the new one. */
export const tokens: readonly Fault[] = [
  {
    name: 'token rotation',
    on: 'steady',
    refusesWith: 401,
    happen: async ({ subject, load, random }) => {
      const old = subject.token;
      const next = `arbitrary-token-${random.integer(0, 2 ** 32 - 1)}`;
      subject.acceptTokens(old, next);
      await untilStatus(load, next, 204);
      subject.token = next;
      // What was begun with the old token has been sent by then.
      await pause(500);
      subject.acceptTokens(next);
      await untilStatus(load, old, 401);
    },
  },
];

/** Sends deliveries with a token until one gets this status. */
async function untilStatus(load: Load, token: string, wanted: number): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const status = await load.sendOne('handle', token);
    if (status === wanted) return;
    if (Date.now() > deadline) throw new Failure(`A change of the token file had no effect: ${status}.`);
    await pause(50);
  }
}
