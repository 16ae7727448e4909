import { afterThisTest } from '@plant-store/test-support';
import type { FastifyInstance } from 'fastify';

import { type Listener, type ListenerAddress, startListener as start } from '../src/operations/listener.js';
import { type LogRecord, recordLog } from './record-log.js';

/** Starts an operations listener, on the loopback address alone. It closes after the test. */
export async function startListener(
  addRoutes: (app: FastifyInstance) => void,
  address: Partial<ListenerAddress> = {},
): Promise<Listener & { readonly log: LogRecord }> {
  const log = recordLog();
  const listener = await start(
    addRoutes,
    { port: 0, host: undefined, folder: undefined, ...address },
    log.logger,
  );
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= listener.close());
  afterThisTest(close);
  return { ...listener, close, log };
}
