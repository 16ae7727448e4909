import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordLog } from '../../test/record-log.js';
import { Counters } from '../counters.js';
import { Metrics } from './metrics.js';

function deployed(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../deploy/${name}`, import.meta.url)), 'utf8');
}

test.each(['prometheus-alerts.yaml', 'grafana-dashboard.json'])(
  'deploy/%s uses only metrics that the receiver has',
  async (name) => {
    const exposition = await new Metrics(
      new Counters(),
      () => Promise.reject(new Error()),
      recordLog().logger,
    ).text();
    const own = Array.from(exposition.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, metric, type]) =>
      type === 'histogram' ? [`${metric!}_bucket`, `${metric!}_sum`, `${metric!}_count`] : [metric!],
    ).flat();
    const used = deployed(name).match(/\b(?:plant_store|process|nodejs)_\w+/g) ?? [];

    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((metric) => !own.includes(metric))).toEqual([]);
  },
);
