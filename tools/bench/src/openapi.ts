/** `npm run bench openapi`: the gate's `diff` beside Redocly's, whole processes on the same two large documents. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { blockYaml } from './block-yaml.js';
import { interleave } from './interleave.js';
import { median } from './median.js';
import { openapiDocuments } from './openapi-documents.js';
import { printTable } from './print-table.js';

interface Contender {
  readonly name: string;
  /** Program and arguments. */
  readonly args: readonly string[];
}

interface Sample {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

const rounds = 3;
const timeLimitMilliseconds = 60_000;

const workspace = fileURLToPath(new URL('../../../', import.meta.url));
const reportUsage = new URL('./report-usage.js', import.meta.url).href;

/** Measures and prints a table. Takes about a minute; a program that takes longer than that is ended. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  try {
    await measureAll(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureAll(folder: string): Promise<void> {
  const documents = openapiDocuments();
  const written = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const first = written('first.json', JSON.stringify(documents.first, null, 2));
  const second = written('second.json', JSON.stringify(documents.second, null, 2));
  const firstYaml = written('first.yaml', blockYaml(documents.first));
  const secondYaml = written('second.yaml', blockYaml(documents.second));
  const contenders: Contender[] = [
    {
      name: 'redocly diff',
      args: [join(workspace, 'node_modules/@redocly/cli/bin/cli.js'), 'diff', first, second, '--format=json'],
    },
    {
      name: 'tools/openapi diff',
      args: [cli, 'diff', '--baseline', first, '--document', second, '--format=json'],
    },
    {
      name: 'tools/openapi diff, YAML',
      args: [cli, 'diff', '--baseline', firstYaml, '--document', secondYaml, '--format=json'],
    },
    { name: 'tools/openapi changes', args: [cli, 'changes', first, second, '--format=json'] },
  ];
  const samples = await interleave(contenders, rounds, (contender) => measure(contender, folder));
  const figure = (index: number, name: keyof Sample): number =>
    median(samples[index]!.map((sample) => sample[name]));
  const ratio = (index: number, name: keyof Sample): string =>
    (figure(index, name) / figure(0, name)).toFixed(2);
  const size = (statSync(first).size / 1e6).toFixed(1);
  console.log(`\nTwo documents of ${size} MB of JSON, whole processes, medians of ${rounds} rounds:`);
  printTable(
    ['', 'wall s', 'CPU s', 'peak MB', 'of redocly: wall', 'CPU', 'memory'],
    contenders.map(({ name }, index) => [
      name,
      figure(index, 'seconds').toFixed(2),
      figure(index, 'cpuSeconds').toFixed(2),
      figure(index, 'megabytes').toFixed(0),
      ratio(index, 'seconds'),
      ratio(index, 'cpuSeconds'),
      ratio(index, 'megabytes'),
    ]),
  );
}

const cli = join(workspace, 'tools/openapi/dist/cli.js');

/** CPU time and the largest resident set are what the process says of itself when it ends. */
async function measure({ name, args }: Contender, cwd: string): Promise<Sample> {
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', reportUsage, ...args], {
    cwd,
    env: { PATH: '', HOME: cwd, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: timeLimitMilliseconds,
  });
  const [output, errors, usage] = await Promise.all(
    [child.stdout!, child.stderr!, child.stdio[3] as Readable].map((stream) => text(stream)),
  );
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const seconds = (performance.now() - start) / 1_000;
  // Both end with 1 when they found something, which they must.
  if (usage === '' || output === '' || ![0, 1].includes(child.exitCode ?? -1))
    throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}: ${errors!.slice(0, 500)}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(usage!) as NodeJS.ResourceUsage;
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: (maxRSS * 1_024) / 1e6 };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run();
