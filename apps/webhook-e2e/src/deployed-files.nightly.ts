import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { ROOT } from '../support/development.js';
import { TestProcess } from '../support/process.js';

/** The linters that Debian has. In CI, each has to be there. */
const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze';
const PROMTOOL = '/usr/bin/promtool';

const testWith = (...programs: readonly string[]): jest.It =>
  process.env['CI'] === 'true' || programs.every((program) => existsSync(program)) ? test : test.skip;

const deployed = (name: string): string => join(ROOT, 'deploy', name);
const read = (name: string): string => readFileSync(deployed(name), 'utf8');

/** Runs a command that has to succeed. */
async function succeed(...command: readonly [string, ...string[]]): Promise<string> {
  if (!existsSync(command[0])) throw new Error(`There is no ${command[0]}. Install it as .ci/run does.`);
  const started = new TestProcess(command, { environment: {} });
  afterThisTest(() => started.kill());
  const { code } = await started.exit;
  expect({ code, output: code === 0 ? '' : started.output }).toEqual({ code: 0, output: '' });
  return started.output;
}

describe('the units of systemd', () => {
  /** With the program of this machine, which needn't be where Debian installs it. */
  function writeUnits(): string[] {
    const folder = makeFolder();
    return ['plant-store-webhook.socket', 'plant-store-webhook.service'].map((name) => {
      const file = join(folder, name);
      writeFileSync(file, read(name).replace('/usr/bin/node', process.execPath));
      return file;
    });
  }

  testWith(SYSTEMD_ANALYZE)('are valid', async () => {
    expect(await succeed(SYSTEMD_ANALYZE, 'verify', '--man=no', ...writeUnits())).toBe('');
  });

  testWith(SYSTEMD_ANALYZE)(
    'give the service little to do harm with: an exposure of at most 2.0',
    async () => {
      await succeed(SYSTEMD_ANALYZE, 'security', '--offline=true', '--threshold=20', writeUnits()[1]!);
    },
  );
});

describe('the alerts of Prometheus', () => {
  testWith(PROMTOOL)('are valid, and fire when they should', async () => {
    await succeed(PROMTOOL, 'check', 'rules', deployed('prometheus-alerts.yaml'));
    await succeed(PROMTOOL, 'test', 'rules', deployed('prometheus-alerts.test.yaml'));
  });
});

test('the receiver has every setting that the files set', () => {
  const settings = [
    ...Array.from(read('Dockerfile').matchAll(/^ENV (\w+)=/gm), ([, name]) => name!),
    ...Array.from(read('plant-store-webhook.service').matchAll(/^Environment=(\w+)=/gm), ([, name]) => name!),
    ...Array.from(read('kubernetes.yaml').matchAll(/- name: ([A-Z_]+)$/gm), ([, name]) => name!),
    ...Array.from(read('compose.yaml').matchAll(/^ {6}(INBOX_URL|SIGNING_\w+):/gm), ([, name]) => name!),
  ];
  const page = readFileSync(join(ROOT, 'docs/reference/settings.md'), 'utf8');

  expect(settings).toEqual(
    expect.arrayContaining(['HOST', 'SHUTDOWN_DELAY_MS', 'INBOX_URL', 'SIGNING_KEYS']),
  );
  expect(settings.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
