import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { soon } from './port.js';
import { TestProcess } from './process.js';

/** The one of Debian. */
const PROMETHEUS = '/usr/bin/prometheus';

/** Whether this machine has it. In CI, it has to be there. */
export const hasPrometheus = process.env['CI'] === 'true' || existsSync(PROMETHEUS);

/** One value of a series. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** Prometheus, which scrapes receivers each second. */
export class Prometheus {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /**
   * Starts one. It ends after the test.
   *
   * @param targets the authority of the operations of each instance
   * @param rules the path of a file of alerts
   */
  static async start(
    job: string,
    targets: Readonly<Record<string, string>>,
    rules: string,
  ): Promise<Prometheus> {
    const folder = makeFolder();
    const file = join(folder, 'prometheus.json');
    const interval = { scrape_interval: '1s', scrape_timeout: '1s' };
    const static_configs = Object.entries(targets).map(([instance, target]) => {
      return { targets: [target], labels: { instance } };
    });
    writeFileSync(
      file,
      JSON.stringify({
        global: { evaluation_interval: '1s' },
        rule_files: [rules],
        scrape_configs: [{ job_name: job, ...interval, static_configs }],
      }),
    );
    const options = ['--web.listen-address=127.0.0.1:0', `--storage.tsdb.path=${join(folder, 'data')}`];
    const started = new TestProcess([PROMETHEUS, `--config.file=${file}`, ...options], { environment: {} });
    afterThisTest(() => started.kill());
    const [, authority] = await started.until(
      () => /msg="Listening on" address=(\S+)/.exec(started.output) ?? undefined,
      'the address of Prometheus',
    );
    await started.until(() => started.output.includes('ready to receive') || undefined, 'its readiness');
    return new Prometheus(`http://${authority!}/api/v1/`);
  }

  /** What a query returns. Rejects if Prometheus doesn't understand it. */
  async query(query: string): Promise<readonly Sample[]> {
    const { result } = (await this.#get(`query?query=${encodeURIComponent(query)}`)) as { result: Sample[] };
    return result;
  }

  /** The alerts that wait or fire, with their state. */
  async alerts(): Promise<Readonly<Record<string, string>>> {
    const { alerts } = (await this.#get('alerts')) as {
      alerts: { labels: { alertname: string }; state: string }[];
    };
    return Object.fromEntries(alerts.map(({ labels, state }) => [labels.alertname, state]));
  }

  /** Waits until a query has so many series. */
  async until(query: string, count = 1): Promise<void> {
    while ((await this.query(query)).length < count) await soon();
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(new URL(path, this.#url));
    const { status, data, error } = (await response.json()) as {
      status: string;
      data: unknown;
      error?: string;
    };
    if (status !== 'success') throw new Error(`${decodeURIComponent(path)}: ${error}`);
    return data;
  }
}
