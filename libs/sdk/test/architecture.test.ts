import { readFileSync } from 'node:fs';
import { acknowledge, startRawServer } from './support/raw-server.js';
import { startProcess } from './support/run-process.js';

const PAGE = new URL('../../../docs/explanation/architecture.md', import.meta.url);
const BUILT = new URL('../dist/', import.meta.url).href;

/** Sends once, and prints the files of the SDK that it enters. */
const script = `
  import { Session } from 'node:inspector/promises';
  import { json } from ${JSON.stringify(`${BUILT}index.js`)};
  import { createSenderUnder } from ${JSON.stringify(`${BUILT}internal.js`)};

  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const options = { baseUrl: process.argv[1], accessToken: 'x', method: 'POST', encode: json };
  const sender = createSenderUnder(options, { answers: {} });
  await session.post('Profiler.takePreciseCoverage');
  await sender.send('x');
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const entered = result.filter(({ url, functions }) =>
    url.startsWith(${JSON.stringify(BUILT)}) && functions.some(({ ranges }) => ranges[0].count > 0));
  console.log(JSON.stringify(entered.map(({ url }) => url.slice(${BUILT.length}).replace(/js$/, 'ts'))));
  await sender.close();`;

test('docs/explanation/architecture.md names the files that one send enters, and no other', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const [, list = ''] =
    /In the sender, one `send` passes through these \d+ files:\n\n(.*?)\n\n/s.exec(page) ?? [];
  const named = [...list.matchAll(/`([a-z/.-]+\.ts)`/g)].map(([, file]) => file!);
  const { url } = await startRawServer(acknowledge);

  const { stdout } = await startProcess(process.execPath, ['--input-type=module', '-e', script, url])
    .finished;

  expect(named.toSorted()).toEqual((JSON.parse(stdout) as string[]).toSorted());
  expect(page).toContain(`passes through these ${named.length} files:`);
});
