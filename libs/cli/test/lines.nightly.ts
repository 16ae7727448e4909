import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@plant-store/test-support';
import { startReceiver } from './support/receiver.js';
import { required, start } from './support/run.js';

const LINES = 40_000;
const ENDS = ['SIGINT', 'SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGINT'] as const;

test('40,000 lines with interrupts and kills: nothing acknowledged is sent twice, and the rest is told', async () => {
  const receiver = await startReceiver();
  const input = join(makeFolder(), 'plants.ndjson');
  writeFileSync(input, Array.from({ length: LINES }, (_, index) => `{"plant":${index + 1}}\n`).join(''));
  const results = `${input}.results`;
  const args = ['send', '--ndjson', input, '--results', results, ...required(receiver.url)];
  for (const [index, signal] of ENDS.entries()) {
    const { child, finished } = start(index === 0 ? args : [...args, '--resume']);
    await receiver.whenReceived(receiver.requests.length + 5_000);
    child.kill(signal);
    await finished;
  }

  const { code, stdout } = await start([...args, '--resume', '-ojson']).finished;
  const counts = JSON.parse(stdout) as { lines: number; unknown: number };
  const kills = ENDS.filter((signal) => signal === 'SIGKILL').length;
  expect([code, counts.lines]).toEqual([4, LINES]);
  expect(counts.unknown).toBeLessThanOrEqual(kills * 3 * 64);
  expect([...receiver.acknowledged.values()].filter((times) => times > 1)).toEqual([]);
  const told = readFileSync(results, 'utf8').match(/"EARLIER_OUTCOME_UNKNOWN"/g) ?? [];
  expect(told.length).toBeGreaterThanOrEqual(counts.unknown);
  expect(receiver.acknowledged.size + counts.unknown).toBeGreaterThanOrEqual(LINES);

  const { finished } = start([...args, '--resume', '--resend-unknown']);
  expect(await finished).toMatchObject({ code: 0 });
  expect(receiver.acknowledged.size).toBe(LINES);
}, 600_000);
