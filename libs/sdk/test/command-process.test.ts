import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { cp, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterThisTest } from '@plant-store/test-support';
import { exitCodes } from '../src/cli/command-line/exit-codes.js';
import { acknowledge, startRawServer, staySilent } from './support/raw-server.js';
import { type Running, startProcess } from './support/run-process.js';
import { accessToken, arbitrary } from './support/senders.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

function start(url: string, env: NodeJS.ProcessEnv = {}, file = '-'): Running {
  const required = ['--base-url', url, '--method', 'POST', '--content-type', 'text/plain'];
  return startProcess(process.execPath, [path('fixtures/open-command.mjs'), 'send', file, ...required], {
    env: { ACCESS_TOKEN: accessToken, ...env },
  });
}

/** A named pipe. It is removed with the test. */
async function makePipe(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'));
  afterThisTest(() => rm(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

/** The files that a process has open. */
function filesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(join(folder, fd));
    } catch {
      return 'closed meanwhile';
    }
  });
}

test('the command takes its answers from the contract', async () => {
  const { finished } = startProcess(process.execPath, [path('../bin/plant-store.js'), '--version']);

  expect(await finished).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('the command that is not built says in one line how to build it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'));
  afterThisTest(() => rm(folder, { recursive: true }));
  await cp(path('../bin'), join(folder, 'bin'), { recursive: true });
  await cp(path('../package.json'), join(folder, 'package.json'));
  const { finished } = startProcess(process.execPath, [join(folder, 'bin/plant-store.js'), 'send', 'x']);

  expect(await finished).toEqual({
    code: exitCodes.notBuilt,
    stdout: '',
    stderr: 'plant-store: not built yet. Build it in the repository with: npx nx build sdk\n',
  });
});

describe('the command as a process', () => {
  test('sends standard input and exits', async () => {
    const server = await startRawServer(acknowledge);
    const { child, finished } = start(server.url);
    child.stdin!.end(arbitrary);

    expect(await finished).toEqual({
      code: 0,
      stdout: `acknowledged: 204, 17 bytes sent with POST to ${server.url}/plant/webhook\n`,
      stderr: '',
    });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('at %s prints the outcome and exits', async (signal) => {
    const server = await startRawServer(staySilent);
    const { child, finished } = start(server.url);
    child.stdin!.end(arbitrary);
    await server.request(0);
    child.kill(signal);

    expect(await finished).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/^plant-store: outcome unknown: .*\n$/),
    });
  });

  test('sends what comes through a named pipe', async () => {
    const server = await startRawServer(acknowledge);
    const pipe = await makePipe();
    const { finished } = start(server.url, {}, pipe);
    await writeFile(pipe, arbitrary);

    expect(await finished).toMatchObject({ code: 0, stderr: '' });
    expect((await server.request(0)).content.toString()).toBe(arbitrary);
  });

  test('reads the access token from a named pipe', async () => {
    const server = await startRawServer(acknowledge);
    const pipe = await makePipe();
    const { child, finished } = start(server.url, { ACCESS_TOKEN: '', ACCESS_TOKEN_FILE: pipe });
    child.stdin!.end(arbitrary);
    await writeFile(pipe, `${accessToken}\n`);

    expect(await finished).toMatchObject({ code: 0, stderr: '' });
  });

  test('one interrupt ends reading a named pipe into which nothing is written', async () => {
    const pipe = await makePipe();
    const { child, finished } = start('http://127.0.0.1:9', {}, pipe);
    // Opening it for writing waits until the command reads.
    const writer = await open(pipe, 'w');
    child.kill('SIGINT');

    expect(await finished).toEqual({
      code: exitCodes.notSent,
      stdout: '',
      stderr: 'plant-store: not sent: interrupted.\n',
    });
    await writer.close();
  });

  (platform() === 'linux' ? test : test.skip)(
    'a second interrupt ends it, also if a read blocks',
    async () => {
      // Reading it blocks a thread until somebody writes to a terminal.
      const blocking = '/dev/ptmx';
      const { child, finished } = start('http://127.0.0.1:9', {
        ACCESS_TOKEN_FILE: blocking,
        ACCESS_TOKEN: '',
      });
      const stderr = once(child.stderr!, 'data');
      while (!filesOf(child.pid!).some((file) => file.endsWith('/ptmx'))) await immediate();
      child.kill('SIGINT');
      expect(String(await stderr)).toBe('plant-store: not sent: interrupted.\n');

      child.kill('SIGINT');

      await finished;
      expect(child.signalCode).toBe('SIGINT');
    },
  );

  test('exits with the same code if nobody reads its output', async () => {
    const server = await startRawServer(staySilent);
    const { child, finished } = start(server.url);
    child.stdout!.destroy();
    child.stdin!.end(arbitrary);
    acknowledge(await server.request(0));

    expect(await finished.catch(() => once(child, 'close'))).toBeDefined();
    expect(child.exitCode).toBe(0);
  });

  test('sends over TLS if the certificate is trusted', async () => {
    const server = createServer(
      { key: readFileSync(path('fixtures/loopback.key')), cert: readFileSync(path('fixtures/loopback.crt')) },
      (request, response) => request.resume().once('end', () => response.writeHead(204).end()),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterThisTest(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { child, finished } = start(`https://localhost:${port}`, {
      NODE_EXTRA_CA_CERTS: path('fixtures/loopback.crt'),
    });
    child.stdin!.end(arbitrary);

    expect(await finished).toMatchObject({ code: 0, stderr: '' });
  });
});
