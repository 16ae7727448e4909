/**
 * `npm run bench lines`: `plant-store send --ndjson` with files of 100,000 and 1,000,000 plants of about 100 bytes, to a
 * receiver in a process of its own: lines a second, and the most memory that the command took. Needs Linux. Takes about
 * three minutes.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const COUNTS = [100_000, 1_000_000];
const COMMAND = fileURLToPath(new URL('../../../libs/sdk/bin/plant-store.js', import.meta.url));

const receiver = fork(new URL('./sender-server.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
try {
  const [port] = (await once(receiver, 'message')) as [number];
  for (const count of COUNTS) {
    const file = join(folder, `${count}.ndjson`);
    await pipeline(Readable.from(plants(count)), createWriteStream(file));
    await measure(file, count, `http://127.0.0.1:${port}`);
  }
} finally {
  receiver.disconnect();
  rmSync(folder, { recursive: true });
}

function* plants(count: number): Generator<string> {
  for (let plant = 1; plant <= count; plant += 1)
    yield `{"plant":${plant},"arbitrary":"${'x'.repeat(75)}"}\n`;
}

async function measure(file: string, count: number, url: string): Promise<void> {
  const options = ['--ndjson', '--base-url', url, '--method', 'POST', '--content-type', 'application/json'];
  const start = performance.now();
  const command = spawn(process.execPath, [COMMAND, 'send', file, ...options], {
    env: { ACCESS_TOKEN: 'arbitrary' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [code, output, peak] = await Promise.all([
    new Promise((resolve) => command.once('exit', resolve)),
    text(command.stdout),
    peakOf(command),
  ]);
  if (code !== 0) throw new Error(`plant-store exited with ${String(code)}: ${output}`);
  const rate = (count * 1_000) / (performance.now() - start);
  const cells = [
    `${Math.round(rate).toLocaleString('en')} a second`,
    `at most ${Math.round(peak / 1_000)} MB`,
  ];
  console.log(`${output.trim()}: ${cells.join(', ')}`);
}

/** The most memory that a process has taken, in kB, until it ends (VmHWM). */
async function peakOf(child: ChildProcess): Promise<number> {
  for (let peak = 0; ; await delay(50)) {
    if (child.exitCode !== null || child.signalCode !== null) return peak;
    const [, found] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    peak = Math.max(peak, Number(found ?? 0));
  }
}
