import { afterThisTest } from '@plant-store/test-support';

import {
  type OperationsAddress,
  type OperationsListener,
  startOperationsListener,
} from '../src/operations/operations-listener.js';
import type { Route } from '../src/operations/router.js';
import { type LogRecord, recordLog } from './record-log.js';

/** Starts an operations listener, on the loopback address alone. It closes after the test. */
export async function startListener(
  routes: readonly Route[],
  address: Partial<OperationsAddress> = {},
): Promise<OperationsListener & { readonly log: LogRecord }> {
  const log = recordLog();
  const listener = await startOperationsListener(
    routes,
    { port: 0, host: undefined, folder: undefined, requestTimeout: 30_000, ...address },
    log.logger,
  );
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= listener.close());
  afterThisTest(close);
  return { ...listener, close, log };
}
