import { setTimeout as pause } from 'node:timers/promises';

import { facts } from '@plant-store/contract';

import { Connection } from '../connection.js';
import type { Random } from '../random.js';
import { type Fault, STEADY_TIME } from './fault.js';

const POST = `POST ${facts.DELIVERY_PATH} HTTP/1.1\r\nHost: localhost\r\n`;
const WRONG = 'Authorization: Bearer wrong-token\r\n';
const CONTENT = 'Content-Length: 1000\r\n\r\n';

/** What one stranger writes, in one connection. None of it has an accepted token. */
const MESSAGES: readonly ((random: Random) => string)[] = [
  // One byte, and a head that doesn't end.
  () => 'P',
  () => `${POST}${WRONG}`,
  // A whole request, and content that stalls.
  () => `${POST}${WRONG}Content-Length: 4\r\n\r\nnone`,
  () => `${POST}${WRONG}${CONTENT}half`,
  () => `${POST}${CONTENT}half`,
  // Many at once.
  () => `${POST}${WRONG}Content-Length: 0\r\n\r\n`.repeat(50),
  () => 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50),
  // Not HTTP, or more of it than there may be.
  (random) => Array.from({ length: 500 }, () => String.fromCharCode(random.integer(0, 255))).join(''),
  () => `${POST}${'X: y\r\n'.repeat(1_200)}${WRONG}${CONTENT}`,
  () => `${POST}X: ${'y'.repeat(20_000)}\r\n${CONTENT}`,
  () => `${POST}${WRONG}Transfer-Encoding: gzip, chunked\r\n\r\n`,
  () => `${POST}Authorization: Bearer one\r\nAuthorization: Bearer two\r\n${CONTENT}`,
  () => 'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
];

/** How many strangers there are at a time. */
const STRANGERS = 12;

/** How many connections each keeps open: together fewer than the receiver has descriptors. */
const CONNECTIONS = 25;

/** Peers without an accepted token delay nothing, and get nothing stored. */
export const strangers: readonly Fault[] = [
  {
    name: 'strangers',
    on: 'steady',
    happen: async ({ subject, random }) => {
      const end = { isReached: false };
      const all = Array.from({ length: STRANGERS }, () =>
        disturb(
          () => subject.port,
          random.fork(),
          () => end.isReached,
        ),
      );
      await pause(STEADY_TIME);
      end.isReached = true;
      await Promise.all(all);
    },
  },
];

async function disturb(port: () => number | undefined, random: Random, isOver: () => boolean): Promise<void> {
  const connections: Connection[] = [];
  while (!isOver()) {
    const connection = await Connection.open(port() ?? 0).catch(() => undefined);
    connection?.write(Buffer.from(random.pick(MESSAGES)(random), 'latin1'));
    if (connection !== undefined) connections.push(connection);
    if (connections.length > CONNECTIONS) connections.shift()!.close();
    await pause(random.integer(0, 40));
  }
  for (const connection of connections) connection.close();
}
