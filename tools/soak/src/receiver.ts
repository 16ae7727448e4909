import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../apps/webhook/dist/main.js', import.meta.url));

/** The soak sends what is accepted while every question is open. */
const EVERYTHING_OPEN = import.meta.resolve('@plant-store/test-support/everything-open');

/** How long a start or a stop may take, in milliseconds. */
const PATIENCE = 30_000;

/** What a process uses, from /proc. */
export interface Usage {
  /** Resident memory, in bytes. */
  readonly memory: number;
  readonly descriptors: number;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A process of the built receiver. */
export class Receiver {
  /** Where deliveries go; undefined until it listens, and after its end. */
  url: string | undefined;
  /** The URL of its operations listener; undefined until it listens. */
  operationsUrl: string | undefined;
  hasEnded = false;
  /** Resolves when it has ended, with its exit code, or the signal that has ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
  readonly #listening: Promise<void>;
  readonly #child: ChildProcess;

  /** @param log the file of its log */
  constructor(settings: Readonly<Record<string, string>>, log: string, maxFileBlocks?: number) {
    const node = [process.execPath, MAIN] as const;
    const limited = ['/bin/sh', '-c', `ulimit -S -f ${maxFileBlocks}; exec "$0" "$1"`, ...node] as const;
    const [program, ...args] = maxFileBlocks === undefined ? node : limited;
    const own = { PORT: '0', OPERATIONS_PORT: '0', NODE_OPTIONS: `--import=${EVERYTHING_OPEN}` };
    const child = spawn(program, args, { env: { ...own, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream.pipe(createWriteStream(log, { flags: 'a' }));
    this.#listening = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!line.includes('"listening"')) return;
        const { url, operations } = JSON.parse(line) as { url: string; operations: string };
        this.operationsUrl = operations;
        this.url = url;
        resolve();
      });
    });
    this.exit = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(child);
        this.hasEnded = true;
        this.url = undefined;
        resolve(code ?? signal!);
      });
    });
  }

  /** Waits until it listens. @throws if it ends before, or takes too long */
  async listening(): Promise<void> {
    await Promise.race([this.#listening, this.exit, pause(PATIENCE, undefined, { ref: false })]);
    if (this.url === undefined) throw new Error("The receiver ended before it listened, or didn't in time.");
  }

  /** Ends it, which must come in time. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.signal(signal);
    const exit = await Promise.race([this.exit, pause(PATIENCE, undefined, { ref: false })]);
    if (exit === undefined) throw new Error(`The receiver didn't end in time after ${signal}.`);
    return exit;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Undefined on a system without /proc. */
  usage(): Usage | undefined {
    try {
      const folder = `/proc/${this.#child.pid}`;
      const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`${folder}/status`, 'utf8'))![1];
      return { memory: Number(kilobytes) * 1_024, descriptors: readdirSync(`${folder}/fd`).length };
    } catch {
      return undefined;
    }
  }
}
