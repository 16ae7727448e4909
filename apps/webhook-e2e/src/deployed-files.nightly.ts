import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';

import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';

import { ROOT } from '../support/development.js';
import { untilItListens } from '../support/port.js';
import { TestProcess } from '../support/process.js';
import { startReceiver } from '../support/receiver.js';

/** What systemd runs: the receiver and the relay. */
const SERVICES = ['plant-store-webhook.service', 'plant-store-relay.service'] as const;

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
    return ['plant-store-webhook.socket', ...SERVICES].map((name) => {
      const file = join(folder, name);
      writeFileSync(file, read(name).replace('/usr/bin/node', process.execPath));
      return file;
    });
  }

  testWith(SYSTEMD_ANALYZE)('are valid', async () => {
    expect(await succeed(SYSTEMD_ANALYZE, 'verify', '--man=no', ...writeUnits())).toBe('');
  });

  testWith(SYSTEMD_ANALYZE)(
    'give the services little to do harm with: an exposure of at most 2.0',
    async () => {
      const [, ...services] = writeUnits();
      for (const service of services)
        await succeed(SYSTEMD_ANALYZE, 'security', '--offline=true', '--threshold=20', service);
    },
  );

  test.each([
    { status: '65', stopped: 'stop --no-block plant-store-webhook.socket\n' },
    { status: '1', stopped: '' },
    { status: 'KILL', stopped: '' },
  ])('stop the socket with the service that ends with 65: $status', async ({ status, stopped }) => {
    const [, command = ''] = /^ExecStopPost=\+\/bin\/sh -c '(.*)'$/m.exec(read(SERVICES[0])) ?? [];
    const folder = makeFolder();
    writeFileSync(join(folder, 'systemctl'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const environment = { PATH: `${folder}:/bin`, EXIT_STATUS: status };
    const ended = new TestProcess(['/bin/sh', '-c', command], { environment });

    expect(await ended.exit).toEqual({ code: 0, signal: null });
    expect(ended.output).toBe(stopped);
  });

  test('start the receiver as the image does', () => {
    const [, command = ''] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(read(SERVICES[0])) ?? [];
    const ofImage = JSON.parse(
      /^CMD (.*)$/m.exec(read('Dockerfile').split('AS receiver')[1]!)![1]!,
    ) as string[];
    expect(command.split(' ')).toEqual(ofImage);
  });
});

describe('the alerts of Prometheus', () => {
  testWith(PROMTOOL)('are valid, and fire when they should', async () => {
    await succeed(PROMTOOL, 'check', 'rules', deployed('prometheus-alerts.yaml'));
    await succeed(PROMTOOL, 'test', 'rules', deployed('prometheus-alerts.test.yaml'));
  });
});

test.each(['Dockerfile', 'compose.yaml', 'kubernetes.yaml', SERVICES[0]])(
  '%s says as a comment how to name a handler of another repository',
  (name) => {
    const comments = read(name)
      .match(/^ *#.*$/gm)!
      .join('\n');
    expect(comments).toMatch(/\bHANDLER\b/);
    expect(comments).toContain('/opt/plant-store-handler/handler.mjs');
  },
);

test('in a container, a command of deploy.md passes the inspector on to its published port', async () => {
  const page = readFileSync(join(ROOT, 'docs/how-to/deploy.md'), 'utf8');
  const [, command = ''] = /exec receiver \\\n +node -e "(.*)"$/m.exec(page) ?? [];
  const { process: receiver } = await startReceiver();
  const { operations } = await receiver.logged('listening');
  const { host, port } = new URL(operations as string);
  const published = await freePort();
  const script = command.replace('3001', port).replace('3002', String(published));
  const passing = new TestProcess([process.execPath, '-e', script], { environment: {} });
  afterThisTest(() => passing.kill());
  (await untilItListens(passing, published)).destroy();

  const asked = request({ port: published, path: '/', headers: { host } }).end();
  const response = await new Promise<IncomingMessage>((resolve) => asked.once('response', resolve));

  const { statusCode, headers } = response.resume();
  expect([statusCode, headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
});

test('the receiver has every setting that the files set', () => {
  const [, ofReceiver = ''] = read('Dockerfile').split('AS receiver');
  const settings = [
    ...Array.from(ofReceiver.matchAll(/^ENV (\w+)=/gm), ([, name]) => name!),
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
