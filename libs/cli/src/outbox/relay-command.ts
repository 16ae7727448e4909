import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createRelay, type FailedEntry, type OutageNotice, relayDefaults } from '@plant-store/sdk/outbox';
import { isCausedByContent } from '@plant-store/sdk/internal';
import { collectFaults, type CommandContext } from '../context.js';
import { backoff } from '../send/failures.js';
import type { SenderValues } from '../send/sender-options.js';
import { failureOf, openOutbox } from './database.js';
import { logTo, reasonOf } from './relay-log.js';
import { type Counts, counted, serveMetrics } from './relay-metrics.js';
import { openRenewedSender } from './renewed-sender.js';

/** The values of the options of `plant-store relay`. */
export interface RelayValues extends SenderValues {
  readonly metricsPort?: number;
  readonly metricsHost?: string;
}

/**
 * After a signal: how long attempts may go on, and how long connections may take to close, in milliseconds. Between the
 * two, the relay stores its results for up to 10 s. The whole takes less than 25 s.
 */
const STOP_PATIENCE = 10_000;
const CLOSE_PATIENCE = 1_000;

/** `plant-store relay`: sends what is in an outbox, until it is interrupted. */
export async function runRelay(values: RelayValues, context: CommandContext): Promise<void> {
  const { given, secondSignal, signal } = context;
  const faults: string[] = [];
  if (values.retry === undefined && given.retry === undefined)
    faults.push(
      '--retry is missing. It has no default while the question retry is open. 0 sends each entry once.',
    );
  // The relay sends again: it stores each attempt.
  const { retry = 0, ...senderValues } = values;
  const concurrency = values.concurrency ?? relayDefaults.concurrency;
  const closing = new AbortController();
  const broken = AbortSignal.any([secondSignal, closing.signal]);
  const opened = await collectFaults(faults, () => openOutbox(context, broken));
  const log = logTo(context);
  const renewed = await openRenewedSender({ ...senderValues, concurrency }, context, faults, log);
  // Without an outbox there was a fault.
  const { outbox, close: closeOutbox } = opened!;
  const counts: Counts = { acknowledged: 0, failed: 0, outages: { database: 0, endpoint: 0 } };
  let lost: Error | undefined;
  const onOutage = (notice: unknown): void => {
    // Whoever ends it by force ends its connections, too.
    if (secondSignal.aborted) return;
    const { part, error, seconds, tries } = notice as OutageNotice;
    counts.outages[part] = error === undefined ? 0 : 1;
    if (error === undefined) return log('info', `${part} back after ${seconds} s, ${tries} tries`);
    lost = error;
    log('error', `${part} lost: the entries wait`, reasonOf(error));
  };
  subscribe('plant-store:outbox:outage', onOutage);
  const relay = createRelay({
    outbox,
    sender: counted(renewed.sender, counts),
    concurrency,
    retry: (failed) => {
      const { id: entry, attempt, error, outcome } = failed;
      log('warn', 'delivery failed', { entry, attempt, ...reasonOf(error), outcome });
      return delayAfter(retry, failed);
    },
    onParked: (parked) => log('warn', 'entries were parked', parked),
    onError: (error) => {
      if (error !== lost) log('error', 'relay failed', reasonOf(error));
    },
  });
  let metrics: Server | undefined;
  let cutting: NodeJS.Timeout | undefined;
  secondSignal.addEventListener('abort', renewed.cutOff);
  try {
    await relay.start();
    const { metricsHost = '127.0.0.1', metricsPort } = values;
    if (metricsPort !== undefined) metrics = await serveMetrics(metricsPort, metricsHost, outbox, counts);
    const port = (metrics?.address() as AddressInfo | undefined)?.port;
    log('info', 'relay started', { url: renewed.url, ...(port && { metricsPort: port }) });
    if (!signal.aborted) await once(signal, 'abort');
    log('info', 'relay stopping: waiting for what is being sent');
    cutting = setTimeout(renewed.cutOff, STOP_PATIENCE);
    await relay.stop();
    const { acknowledged, failed } = counts;
    log('info', 'relay stopped', { acknowledged, failed });
  } catch (error) {
    throw failureOf(error);
  } finally {
    clearTimeout(cutting);
    await relay.stop();
    unsubscribe('plant-store:outbox:outage', onOutage);
    metrics?.close();
    metrics?.closeAllConnections();
    const closed = Promise.all([renewed.close(), closeOutbox()]);
    await Promise.race([closed, pause(CLOSE_PATIENCE, undefined, { ref: false })]);
    closing.abort();
    await Promise.race([closed, pause(CLOSE_PATIENCE, undefined, { ref: false })]);
  }
}

/**
 * The wait before an entry is sent again, in milliseconds. `undefined` if the content is the
 * reason, if the receiver may have accepted it at the last attempt, and after so many retries. Whoever replayed an entry
 * that may have arrived before has decided about that.
 */
function delayAfter(retries: number, { attempt, error }: FailedEntry): number | undefined {
  const isOver = attempt > retries || error.outcome === 'unknown' || isCausedByContent(error);
  return isOver ? undefined : backoff(attempt);
}
