import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { facts } from '@plant-store/contract';

import { openConnection } from '../support/connection.js';
import { ROOT } from '../support/development.js';
import { delivery, head, HOST, POST, RIGHT } from '../support/messages.js';
import { ask } from '../support/operations.js';
import { poisonSettings, sendAll } from '../support/poison.js';
import { soon } from '../support/port.js';
import { hasPrometheus, Prometheus } from '../support/prometheus.js';
import { startReceiver } from '../support/receiver.js';

const ALERTS = join(ROOT, 'deploy/prometheus-alerts.yaml');
const JOB = 'plant-store-webhook';

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets: readonly { readonly expr: string }[];
}

const { panels } = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana-dashboard.json'), 'utf8')) as {
  panels: Panel[];
};

/** A query as Grafana sends it, with all instances. */
const filled = (query: string): string =>
  query.replaceAll('$__rate_interval', '1m').replaceAll('$job', JOB).replaceAll('$instance', '.*');

/** What the alerts of receivers look at, whether or not there is something to tell. Those of relays come after them. */
const [alertsOfReceivers = ''] = readFileSync(ALERTS, 'utf8').split('- name: plant-store-relay');
const looked = Array.from(alertsOfReceivers.matchAll(/ expr: (.*)$/gm), ([, expression]) =>
  expression!.replace(/ [<>=]+ [\de]+$/, '').replace(' unless ', ' and '),
);

(hasPrometheus ? test : test.skip)(
  'Prometheus answers every query of the dashboard and the alerts, and the figures are those of the inbox',
  async () => {
    const receiver = await startReceiver({
      settings: {
        ...poisonSettings,
        HANDLER_MAX_ATTEMPTS: '2',
        MAX_CONTENT_BYTES: '9000',
        MAX_CONTENT_BYTES_IN_FLIGHT: '9000',
      },
    });
    const { process, inbox, port } = receiver;
    const { operations } = await process.logged('listening');
    const { host } = new URL(operations as string);
    const stats = async (): Promise<Record<string, number>> =>
      JSON.parse((await ask(inbox, '/stats')).content) as Record<string, number>;
    const untilStats = async (wanted: Record<string, number>): Promise<void> => {
      for (;;) {
        const found = await stats();
        if (Object.entries(wanted).every(([name, value]) => found[name] === value)) return;
        await soon();
      }
    };
    // More than half of what may be in flight.
    const half = 'x'.repeat(6_000);
    /** With 401, 404 and 503. */
    const refuseSome = async (): Promise<void> => {
      const unfinished = await openConnection(port);
      unfinished.write(head(POST, HOST, RIGHT, 'Content-Length: 9000') + half);
      const wrongToken = delivery().replace('Bearer ', 'Bearer not-');
      for (const [refused, status] of [
        [wrongToken, 401],
        [delivery().replace(facts.DELIVERY_PATH, '/another'), 404],
        // The receiver reads in order of arrival.
        [delivery(half), 503],
      ] as const) {
        const connection = await openConnection(port);
        connection.write(refused);
        expect((await connection.response()).line).toContain(` ${status} `);
        connection.destroy();
      }
      unfinished.destroy();
    };

    // Two instances of one inbox, which is what receivers that share one are.
    const prometheus = await Prometheus.start(JOB, { a: host, b: host }, ALERTS);
    // A counter needs its value from before.
    await refuseSome();
    await prometheus.until('plant_store_http_requests_total{status="503"}', 2);

    await sendAll(receiver, ['show 1', 'fail once', 'throw nothing', 'throw an error']);
    await untilStats({ handled: 2, parked: 2, retrying: 0 });
    expect((await ask(inbox, '/handler/pause', 'POST')).status).toBe(204);
    await sendAll(receiver, ['show 2', 'show 3', 'show 4']);
    await refuseSome();
    await prometheus.until('ALERTS{alertname="PlantStoreRefusing"}');
    await prometheus.until('rate(plant_store_acknowledgement_seconds_count[1m]) > 0', 2);
    await prometheus.until('plant_store_deliveries{state="waiting"} == 3', 2);
    await prometheus.until('rate(plant_store_commit_deliveries_count[1m]) > 0', 2);
    await prometheus.until('ALERTS{alertname="PlantStorePaused"}');

    const shown: Record<string, number> = {};
    for (const { title, type, targets } of panels)
      for (const { expr } of targets) {
        const series = await prometheus.query(filled(expr));
        expect({ title, expr, series: series.length }).not.toMatchObject({ series: 0 });
        if (type === 'stat') shown[title] = Number(series[0]!.value[1]);
      }
    for (const query of looked)
      expect({ query, series: (await prometheus.query(query)).length }).not.toMatchObject({ series: 0 });

    const found = await stats();
    expect(shown).toMatchObject({
      'Receivers not ready': 0,
      'Receivers with old tokens': 0,
      Parked: found['parked'],
      'Waiting or retrying': found['waiting']! + found['retrying']!,
      Handler: 1,
    });
    expect(found).toMatchObject({ handled: 2, parked: 2, waiting: 3, retrying: 0, isPaused: true });
    for (const title of ['Oldest waiting', 'Acknowledged a second', 'Refused a second', 'Disk left'])
      expect({ title, isPositive: shown[title]! > 0 }).toEqual({ title, isPositive: true });
    expect(await prometheus.alerts()).toEqual({
      PlantStoreParked: 'pending',
      PlantStorePaused: 'pending',
      PlantStoreRefusing: 'pending',
    });
  },
);
