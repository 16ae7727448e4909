import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemReason } from '@plant-store/command/system-reason';
import { isPlantStoreError } from '@plant-store/sdk';
import {
  createRelay,
  type Outbox,
  type OutageNotice,
  relayDefaults,
  type RelayOptions,
} from '@plant-store/sdk/outbox';
import { collectFaults, type CommandContext, CommandFailed, oneLine } from '../context.js';
import { adviceOn, delayAfter, failureRecord } from '../send/failures.js';
import { prepareSender } from '../send/prepare-sender.js';
import type { SenderValues } from '../send/sender-options.js';
import { failureOf, openOutbox } from './database.js';

/** The values of the options of `plant-store relay`. */
export interface RelayValues extends SenderValues {
  readonly metricsPort?: number;
  readonly metricsHost?: string;
}

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
  const opened = await collectFaults(faults, () => openOutbox(context, secondSignal));
  const encode = (): never => {
    throw new TypeError('A relay sends what is encoded.');
  };
  const prepared = await prepareSender({ ...senderValues, concurrency }, context, encode, faults);
  const { sender, settings } = prepared;
  // Without an outbox there was a fault.
  const { outbox, close: closeOutbox } = opened!;
  const log = logTo(context);
  const counts = { acknowledged: 0, failed: 0, outages: { database: 0, endpoint: 0 } };
  let lost: Error | undefined;
  const onOutage = (notice: unknown): void => {
    const { part, error, seconds, tries } = notice as OutageNotice;
    counts.outages[part] = error === undefined ? 0 : 1;
    if (error === undefined) return log('info', `${part} back after ${seconds} s, ${tries} tries`);
    lost = error;
    log('error', `${part} lost: the entries wait`, reasonOf(error));
  };
  subscribe('plant-store:outbox:outage', onOutage);
  const relay = createRelay({
    outbox,
    sender: counted(sender, counts),
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
  secondSignal.addEventListener('abort', () => void sender.close({ force: true }));
  try {
    await relay.start();
    metrics = await serveMetrics(values, outbox, counts);
    const port = (metrics?.address() as AddressInfo | undefined)?.port;
    log('info', 'relay started', { url: settings.target.url, ...(port && { metricsPort: port }) });
    if (!signal.aborted) await once(signal, 'abort');
    log('info', 'relay stopping: waiting for what is being sent');
    await relay.stop();
    const { acknowledged, failed } = counts;
    log('info', 'relay stopped', { acknowledged, failed });
  } catch (error) {
    throw failureOf(error);
  } finally {
    await relay.stop();
    unsubscribe('plant-store:outbox:outage', onOutage);
    metrics?.close();
    await prepared.close();
    await closeOutbox();
  }
}

type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

/** Writes lines of JSON. */
function logTo({ stdout }: CommandContext): Log {
  return (level, msg, fields) =>
    void stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), msg, ...fields })}\n`);
}

/** Why something failed, for the log. */
function reasonOf(error: Error): object {
  if (!isPlantStoreError(error))
    return { code: (error as NodeJS.ErrnoException).code, reason: oneLine(systemReason(error)) };
  const { message: reason, ...record } = failureRecord(error);
  return { ...record, reason, advice: adviceOn(error) || undefined };
}

interface Counts {
  acknowledged: number;
  failed: number;
  /** 1 while there is one. */
  readonly outages: Record<OutageNotice['part'], number>;
}

/** A sender whose deliveries are counted. */
function counted(sender: RelayOptions['sender'], counts: Counts): RelayOptions['sender'] {
  return {
    async sendEncoded(encoded) {
      try {
        await sender.sendEncoded(encoded);
        counts.acknowledged += 1;
      } catch (error) {
        counts.failed += 1;
        throw error;
      }
    },
  };
}

/**
 * Serves `/metrics`, in the text format of Prometheus.
 *
 * @throws CommandFailed if the address can't be used
 */
async function serveMetrics(
  { metricsPort: port, metricsHost: host = '127.0.0.1' }: RelayValues,
  outbox: Outbox<unknown>,
  counts: Counts,
): Promise<Server | undefined> {
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metricsOf(outbox, counts).then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      // The log says that the database was lost.
      () => response.writeHead(503).end(),
    );
  });
  // Without a host, Node.js listens on every address, also where the system has no IPv6.
  server.listen(port, host === '::' ? undefined : host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new CommandFailed(`--metrics-port ${port} can't be used on ${host}: ${systemReason(error)}.`);
  }
  return server;
}

async function metricsOf(
  outbox: Outbox<unknown>,
  { acknowledged, failed, outages }: Counts,
): Promise<string> {
  const { waiting, sending, parked, waitingSince } = await outbox.status();
  const wait = waitingSince === undefined ? 0 : (Date.now() - waitingSince.getTime()) / 1_000;
  return `# HELP plant_store_relay_deliveries_total Deliveries of this relay by their result.
# TYPE plant_store_relay_deliveries_total counter
plant_store_relay_deliveries_total{result="acknowledged"} ${acknowledged}
plant_store_relay_deliveries_total{result="failed"} ${failed}
# HELP plant_store_relay_outage Whether this relay waits for its database, or for the endpoint.
# TYPE plant_store_relay_outage gauge
plant_store_relay_outage{part="database"} ${outages.database}
plant_store_relay_outage{part="endpoint"} ${outages.endpoint}
# HELP plant_store_outbox_entries Entries of the outbox by their state.
# TYPE plant_store_outbox_entries gauge
plant_store_outbox_entries{state="waiting"} ${waiting}
plant_store_outbox_entries{state="sending"} ${sending}
plant_store_outbox_entries{state="parked"} ${parked}
# HELP plant_store_outbox_oldest_wait_seconds How long the oldest entry has waited.
# TYPE plant_store_outbox_oldest_wait_seconds gauge
plant_store_outbox_oldest_wait_seconds ${Math.max(0, wait)}
`;
}
