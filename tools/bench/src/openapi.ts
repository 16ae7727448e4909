/**
 * `npm run bench openapi`: compares `diff` and `changes` with Redocly's `diff`, as whole processes on the same two large
 * documents. Takes about a minute.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { compare, type Figures, ratio } from './compare.js';
import { openapiDocuments } from './openapi-documents.js';

interface Contender {
  readonly name: string;
  /** Program and arguments. */
  readonly args: readonly string[];
}

const rounds = 3;
/** A process that takes longer is ended. */
const timeLimitMilliseconds = 60_000;

const workspace = fileURLToPath(new URL('../../../', import.meta.url));
const reportUsage = new URL('./report-usage.js', import.meta.url).href;

const cli = join(workspace, 'tools/openapi/dist/cli.js');
const redocly = join(workspace, 'node_modules/@redocly/cli/bin/cli.js');

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
try {
  const [first, second] = openapiDocuments().map((document, index) => {
    const path = join(folder, `${index}.json`);
    writeFileSync(path, JSON.stringify(document, null, 2));
    return path;
  }) as [string, string];
  await compare({
    title: `Two documents of ${(statSync(first).size / 1e6).toFixed(1)} MB of JSON, whole processes`,
    contenders: [
      { name: 'redocly diff', args: [redocly, 'diff', first, second, '--format=json'] },
      {
        name: 'tools/openapi diff',
        args: [cli, 'diff', '--baseline', first, '--document', second, '--format=json'],
      },
      { name: 'tools/openapi changes', args: [cli, 'changes', first, second, '--format=json'] },
    ],
    rounds,
    measure,
    columns: {
      'wall s': ({ seconds }) => seconds.toFixed(2),
      'CPU s': ({ cpuSeconds }) => cpuSeconds.toFixed(2),
      'peak MB': ({ megabytes }) => megabytes.toFixed(0),
      'of redocly: wall': ({ seconds }, [peer]) => ratio(seconds, peer.seconds),
      CPU: ({ cpuSeconds }, [peer]) => ratio(cpuSeconds, peer.cpuSeconds),
      memory: ({ megabytes }, [peer]) => ratio(megabytes, peer.megabytes),
    },
  });
} finally {
  rmSync(folder, { recursive: true });
}

/** The process itself reports its CPU time and its largest resident set when it ends (report-usage.ts). */
async function measure({ name, args }: Contender): Promise<Figures<'seconds' | 'cpuSeconds' | 'megabytes'>> {
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', reportUsage, ...args], {
    cwd: folder,
    env: { PATH: '', HOME: folder, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: timeLimitMilliseconds,
  });
  const [output, errors, usage] = await Promise.all(
    [child.stdout!, child.stderr!, child.stdio[3] as Readable].map((stream) => text(stream)),
  );
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const seconds = (performance.now() - start) / 1_000;
  // Both exit with 1 when the documents differ.
  if (usage === '' || output === '' || ![0, 1].includes(child.exitCode ?? -1))
    throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}: ${errors!.slice(0, 500)}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(usage!) as NodeJS.ResourceUsage;
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: (maxRSS * 1_024) / 1e6 };
}
