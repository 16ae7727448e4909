import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../apps/webhook/dist/main.js', import.meta.url));
const HANDLER = fileURLToPath(new URL('../handler.mjs', import.meta.url));

/** The soak sends what is accepted while every question is open. */
const EVERYTHING_OPEN = import.meta.resolve('@plant-store/test-support/everything-open');

/** How long a start or a stop may take, in milliseconds. */
const PATIENCE = 30_000;

/** How many of the last lines of a log are kept, for a failure's report. */
const LAST_LINES = 30;

/** The receiver broke a promise. */
export class Failure extends Error {
  /** @param log the last lines of the receiver's log */
  constructor(
    message: string,
    readonly log = '',
  ) {
    super(message);
  }
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a process uses, from /proc. */
export interface Usage {
  /** Resident memory, in bytes. */
  readonly memory: number;
  readonly descriptors: number;
}

/** How a receiver is started. */
export interface ReceiverOptions {
  /** Its INBOX_URL. */
  readonly inboxUrl: string;
  readonly tokensFile: string;
  /** The file that its handler appends to. */
  readonly handledFile: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Largest file that it may write, in blocks of 512 bytes. */
  readonly maxFileBlocks?: number | undefined;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A process of the built receiver. */
export class Receiver {
  /** Where it listens; undefined until it does, and after its end. */
  port: number | undefined;
  /** The URL of its operations listener; undefined until it listens. */
  operationsUrl: string | undefined;
  /** Resolves when it has ended and everything that it wrote has arrived. */
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #hasEnded = false;

  constructor(options: ReceiverOptions) {
    this.#child = start(options);
    running.add(this.#child);
    const [, stdout, stderr] = this.#child.stdio as Readable[];
    createInterface({ input: stdout! }).on('line', (line) => this.#onLine(line));
    createInterface({ input: stderr! }).on('line', (line) => this.#onLine(line));
    this.exit = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        running.delete(this.#child);
        this.#hasEnded = true;
        this.port = undefined;
        resolve({ code, signal });
      });
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get lastLines(): string {
    return this.#lines.join('\n');
  }

  /** Waits until it listens. Rejects if it ends before, or takes too long. */
  async listening(): Promise<void> {
    const deadline = Date.now() + PATIENCE;
    while (this.port === undefined) {
      if (this.#hasEnded) throw new Failure('The receiver ended before it listened.', this.lastLines);
      if (Date.now() > deadline) throw new Failure("The receiver didn't listen in time.", this.lastLines);
      await pause(5);
    }
  }

  /** Waits for its end, which must come in time. */
  async ended(): Promise<Exit> {
    const exit = await Promise.race([this.exit, pause(PATIENCE, undefined, { ref: false })]);
    if (exit === undefined) throw new Failure("The receiver didn't end in time.", this.lastLines);
    return exit;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Stops or resumes reading its log. The receiver writes to a pipe, which fills up. */
  readLog(isRead: boolean): void {
    if (isRead) this.#child.stdout!.resume();
    else this.#child.stdout!.pause();
  }

  /** Lets it write files of any size again. Returns false if this system has no command for it. */
  liftFileLimit(): boolean {
    try {
      execFileSync('prlimit', [`--pid=${this.#child.pid}`, '--fsize=unlimited:']);
      return true;
    } catch {
      return false;
    }
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

  #onLine(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LAST_LINES) this.#lines.shift();
    if (this.port !== undefined || !line.includes('"listening"')) return;
    const { url, operations } = JSON.parse(line) as { url: string; operations: string };
    this.operationsUrl = operations;
    this.port = Number(new URL(url).port);
  }
}

function start(options: ReceiverOptions): ChildProcess {
  const { inboxUrl, tokensFile, handledFile, settings, maxFileBlocks } = options;
  const node = [process.execPath, MAIN] as const;
  const limited = ['/bin/sh', '-c', `ulimit -S -f ${maxFileBlocks}; exec "$0" "$1"`, ...node] as const;
  const [program, ...args] = maxFileBlocks === undefined ? node : limited;
  return spawn(program, args, {
    env: {
      PORT: '0',
      OPERATIONS_PORT: '0',
      ACCESS_TOKENS_FILE: tokensFile,
      INBOX_URL: inboxUrl,
      NODE_OPTIONS: `--import=${EVERYTHING_OPEN}`,
      HANDLER,
      SOAK_HANDLED: handledFile,
      ...settings,
    },
    // In a group of its own, so that Ctrl-C reaches only the soak, which stops it in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
