/** Preloaded with `node --import`: SIGUSR2 logs which files of the receiver the main thread entered since the last one. */
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

// Not `process.stdout`, which the receiver has wrapped.
const log = (msg, fields) => writeSync(1, JSON.stringify({ level: 'info', msg, ...fields }) + '\n');

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('SIGUSR2', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const entered = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0));
  const files = entered.map(({ url }) => /\/apps\/webhook\/dist\/(.*)\.js$/.exec(url)?.[1]);
  log('entered', { files: files.filter((file) => file !== undefined).map((file) => `${file}.ts`) });
});
