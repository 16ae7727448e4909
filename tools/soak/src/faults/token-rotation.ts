import { setTimeout as pause } from 'node:timers/promises';

import { facts } from '@plant-store/contract';

import { Connection } from '../connection.js';
import { Failure } from '../failure.js';
import type { Subject } from '../subject.js';
import type { Fault } from './fault.js';

/** How long a change of the file may take until it has an effect, in milliseconds. The receiver looks each second. */
const PATIENCE = 10_000;

/** The access token is replaced while deliveries are sent: first both are accepted, then only the new one. */
export const tokenRotation: readonly Fault[] = [
  {
    name: 'token rotation',
    on: 'steady',
    refusesWith: 401,
    happen: async ({ subject, load, random }) => {
      const old = subject.token;
      const next = `arbitrary-token-${random.integer(0, 2 ** 32 - 1)}`;
      subject.acceptTokens(old, next);
      await until(subject, next, true);
      subject.token = next;
      // What was begun with the old token has been sent by then.
      await pause(500);
      subject.acceptTokens(next);
      await until(subject, old, false);
      if ((await load.sendOne('handle', old)) !== 401)
        throw new Failure('A token that is no longer in the file was accepted.', subject.receiver.lastLines);
    },
  },
];

/** Waits until a token is accepted or refused. A request without content tells, and stores nothing. */
async function until(subject: Subject, token: string, isAccepted: boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const connection = await Connection.open(subject.port!);
    connection.write(
      `POST ${facts.DELIVERY_PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`,
    );
    const status = await connection.response();
    connection.close();
    if (status === (isAccepted ? 400 : 401)) return;
    if (Date.now() > deadline)
      throw new Failure(`A change of the token file had no effect: ${status}.`, subject.receiver.lastLines);
    await pause(50);
  }
}
