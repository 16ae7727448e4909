import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { systemReason } from '@plant-store/command/system-reason';
import type { OutageNotice, Outbox, OutboxStatus, RelayOptions } from '@plant-store/sdk/outbox';
import { CommandFailed } from '../context.js';

/** What a relay has counted since it started. */
export interface Counts {
  acknowledged: number;
  failed: number;
  /** 1 while there is one. */
  readonly outages: Record<OutageNotice['part'], number>;
}

/** A sender whose deliveries are counted. */
export function counted(sender: RelayOptions['sender'], counts: Counts): RelayOptions['sender'] {
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

/** How long a request for the metrics waits for the database, in milliseconds. The response takes less than 3 s. */
const PATIENCE = 2_500;

/**
 * Serves `/metrics`, in the text format of Prometheus. It always responds: what the database would have to say is left
 * out if it doesn't.
 *
 * @throws CommandFailed if the address can't be used
 */
export async function serveMetrics(
  port: number,
  host: string,
  outbox: Outbox<unknown>,
  counts: Counts,
): Promise<Server> {
  let asking: Promise<OutboxStatus | undefined> | undefined;
  const ask = (): Promise<OutboxStatus | undefined> => {
    // The log says that the database was lost.
    const question = outbox.status().catch(() => undefined);
    return question.finally(() => (asking = undefined));
  };
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    // Counting a large outbox takes long: it is done once for all who ask meanwhile.
    asking ??= ask();
    const respond = (status: OutboxStatus | undefined): void => {
      clearTimeout(timer);
      if (response.headersSent) return;
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
      response.end(countText(counts) + (status === undefined ? '' : statusText(status)));
    };
    const timer = setTimeout(() => respond(undefined), PATIENCE);
    void asking.then(respond);
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

function countText({ acknowledged, failed, outages }: Counts): string {
  return `# HELP plant_store_relay_deliveries_total Deliveries of this relay by their result.
# TYPE plant_store_relay_deliveries_total counter
plant_store_relay_deliveries_total{result="acknowledged"} ${acknowledged}
plant_store_relay_deliveries_total{result="failed"} ${failed}
# HELP plant_store_relay_outage Whether this relay has lost its database, or the endpoint.
# TYPE plant_store_relay_outage gauge
plant_store_relay_outage{part="database"} ${outages.database}
plant_store_relay_outage{part="endpoint"} ${outages.endpoint}
`;
}

function statusText({ waiting, sending, parked, waitingSince }: OutboxStatus): string {
  const wait = waitingSince === undefined ? 0 : (Date.now() - waitingSince.getTime()) / 1_000;
  return `# HELP plant_store_outbox_entries Entries of the outbox by their state.
# TYPE plant_store_outbox_entries gauge
plant_store_outbox_entries{state="waiting"} ${waiting}
plant_store_outbox_entries{state="sending"} ${sending}
plant_store_outbox_entries{state="parked"} ${parked}
# HELP plant_store_outbox_oldest_wait_seconds How long the oldest entry has waited.
# TYPE plant_store_outbox_oldest_wait_seconds gauge
plant_store_outbox_oldest_wait_seconds ${Math.max(0, wait)}
`;
}
