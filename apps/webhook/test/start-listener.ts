import { afterThisTest, type CleanUp } from '@plant-store/test-support';
import type { FastifyInstance } from 'fastify';

import { type Listener, type ListenerAddress, startListener as start } from '../src/operations/listener.js';
import { type LogRecord, recordLog } from './record-log.js';

/**
 * Starts an operations listener, on the loopback address alone.
 *
 * @param cleanUp when it closes; by default after the test
 */
export async function startListener(
  addRoutes: (app: FastifyInstance) => void,
  { folder, ...address }: Partial<ListenerAddress> & { readonly folder?: string } = {},
  cleanUp: CleanUp = afterThisTest,
): Promise<Listener & { readonly socket: string | undefined; readonly log: LogRecord }> {
  const log = recordLog();
  const listener = await start(addRoutes, { port: 0, host: undefined, ...address }, log.logger);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= listener.close());
  cleanUp(close);
  const socket = folder === undefined ? undefined : await listener.openSocket(folder);
  return { ...listener, socket, close, log };
}
