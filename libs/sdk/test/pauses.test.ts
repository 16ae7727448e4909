/** A process that was stopped, or busy: its clocks run out before Node has read what has arrived meanwhile. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import { acknowledge, startRawServer, staySilent } from './support/raw-server.js';
import { type Running, startProcess } from './support/run-process.js';

const BUILT = new URL('../dist/index.js', import.meta.url).href;

/** How many plants are sent at once. */
const COUNT = 8;
const TIMEOUT = 2_000;
const PAUSE = 2_500;

/**
 * Starts a process that sends plants, and prints how many of them had each result.
 *
 * @param clock The option that is shorter than the pause.
 * @param channel Of undici. After as many messages, the process prints a line, and `pause` runs.
 */
function startSender(baseUrl: string, clock: string, channel: string, pause = ''): Running {
  const source = `
    import { subscribe } from 'node:diagnostics_channel';
    import { bytes, createNewPlantSender } from ${JSON.stringify(BUILT)};
    const results = {};
    const count = (result) => (results[result] = (results[result] ?? 0) + 1);
    let messages = 0;
    subscribe(${JSON.stringify(channel)}, () => {
      messages += 1;
      if (messages === ${COUNT}) setImmediate(() => { console.log('paused'); ${pause} });
    });
    const sender = createNewPlantSender({
      baseUrl: ${JSON.stringify(baseUrl)}, method: 'POST', accessToken: 'arbitrary', encode: bytes(),
      ${clock}: ${TIMEOUT},
    });
    await Promise.all(Array.from({ length: ${COUNT} }, () => sender.send('arbitrary').then(
      ({ status }) => count(status), ({ code, outcome }) => count(code + ' ' + outcome))));
    await sender.close();
    console.log(JSON.stringify(results));
  `;
  return startProcess(process.execPath, ['--input-type=module', '--eval', source]);
}

async function resultsOf({ finished }: Running): Promise<unknown> {
  const { stdout, stderr } = await finished;
  expect(stderr).toBe('');
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

test.each([
  ['attemptTimeout', 'undici:request:bodySent'],
  ['totalTimeout', 'undici:request:bodySent'],
  ['connectTimeout', 'undici:client:beforeConnect'],
])('beyond %s, busy: what has arrived counts', async (clock, channel) => {
  const server = await startRawServer(acknowledge);
  const busy = `for (const end = performance.now() + ${PAUSE}; performance.now() < end;);`;

  expect(await resultsOf(startSender(server.url, clock, channel, busy))).toEqual({ 204: COUNT });
});

test.each(['attemptTimeout', 'totalTimeout'])(
  'beyond %s, stopped: what has arrived counts',
  async (clock) => {
    const server = await startRawServer(staySilent);
    const sender = startSender(server.url, clock, 'undici:request:bodySent');
    const { child } = sender;
    await once(createInterface({ input: child.stdout! }), 'line');
    await server.request(COUNT - 1);

    child.kill('SIGSTOP');
    server.requests.forEach(acknowledge);
    // The clock itself must pass.
    await pass(PAUSE);
    child.kill('SIGCONT');

    expect(await resultsOf(sender)).toEqual({ 204: COUNT });
  },
);
