import { setTimeout as pause } from 'node:timers/promises';

import { requirePostgres } from '@plant-store/test-support/postgres';
import { PostgresCluster } from '@plant-store/test-support/postgres-cluster';

import { type Fault, LOAD_TIME, untilAccepted } from './fault.js';

/** The server of a shared inbox. The receiver goes on by itself. */
export const postgres: readonly Fault[] = [
  {
    name: 'PostgreSQL killed',
    on: 'fragile',
    canHappen: (equipment) => equipment.postgres !== undefined,
    happen: async ({ subject, random, equipment }) => {
      const server = equipment.postgres!;
      await pause(random.integer(0, LOAD_TIME));
      subject.expectRepeats();
      await (random.chance(0.5) ? server.crash() : server.kill());
      await pause(random.integer(0, LOAD_TIME));
      await server.startAgain();
      await untilAccepted(subject);
    },
  },
  {
    name: 'primary killed, standby promoted',
    on: 'new',
    canHappen: (equipment) => equipment.postgres !== undefined,
    happen: async ({ subject, random }) => {
      const cluster = await PostgresCluster.start(requirePostgres(), subject.cleanUp);
      subject.inboxUrl = cluster.url;
      await subject.start();
      await untilAccepted(subject);
      await pause(random.integer(0, LOAD_TIME));
      subject.expectRepeats();
      await cluster.killPrimary();
      await cluster.promote();
      await untilAccepted(subject);
    },
  },
];
