/**
 * `npm run bench lines`: `plant-store send --ndjson` with files of 100,000 and 1,000,000 plants of about 100 bytes, to a
 * receiver in another process: lines a second, and the most memory that the command took. Needs Linux. Takes about
 * three minutes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { count } from '../compare.js';
import { accessToken, makeFolder, startPeer } from '../servers.js';

const AMOUNTS = [100_000, 1_000_000];
const COMMAND = fileURLToPath(new URL('../../../../libs/cli/bin/plant-store.js', import.meta.url));

export default async function run(): Promise<void> {
  const { origin } = await startPeer('the receiver', 'http');
  const folder = makeFolder();
  for (const amount of AMOUNTS) {
    const file = join(folder, `${amount}.ndjson`);
    await pipeline(Readable.from(plants(amount)), createWriteStream(file));
    await measure(file, amount, origin);
  }
}

function* plants(amount: number): Generator<string> {
  for (let plant = 1; plant <= amount; plant += 1)
    yield `{"plant":${plant},"arbitrary":"${'x'.repeat(75)}"}\n`;
}

async function measure(file: string, amount: number, url: string): Promise<void> {
  const options = [
    ...['--ndjson', '--results', `${file}.results`],
    ...['--base-url', url, '--method', 'POST', '--content-type', 'application/json'],
  ];
  const start = performance.now();
  const command = spawn(process.execPath, [COMMAND, 'send', file, ...options], {
    env: { ACCESS_TOKEN: accessToken },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [code, output, peak] = await Promise.all([
    new Promise((resolve) => command.once('exit', resolve)),
    text(command.stdout),
    peakOf(command),
  ]);
  if (code !== 0) throw new Error(`plant-store exited with ${String(code)}: ${output}`);
  const rate = (amount * 1_000) / (performance.now() - start);
  console.log(`${output.trim()}: ${count(rate)} a second, at most ${count(peak / 1_000)} MB`);
}

/** The most memory that a process has taken, in kB, until it ends (VmHWM). */
async function peakOf(child: ChildProcess): Promise<number> {
  for (let peak = 0; ; await delay(50)) {
    if (child.exitCode !== null || child.signalCode !== null) return peak;
    const [, found] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    peak = Math.max(peak, Number(found ?? 0));
  }
}
