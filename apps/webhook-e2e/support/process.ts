import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Environment variables. */
export type Environment = Readonly<Record<string, string>>;

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A user, and the one group of that user. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How a process is started. */
export interface ProcessOptions {
  /** The whole environment: the process sees no other variable. */
  readonly environment: Environment;
  /** Whose it is, if the test runs as root. By default the one of the test. */
  readonly user?: User | undefined;
  /** The working directory. */
  readonly folder?: string;
  /** Whether it reads what the test writes. By default it has nothing to read. */
  readonly reads?: boolean;
  /** File descriptors of this process that it has too, from 3 on. */
  readonly passed?: readonly number[];
  /** File descriptors of its standard output and standard error. By default the test reads them. */
  readonly stdout?: number | undefined;
  readonly stderr?: number | undefined;
}

/** A process and what it prints. */
export class TestProcess {
  stdout = '';
  stderr = '';
  /** Resolves when the process has ended, and every process that writes to the same standard error. */
  readonly exit: Promise<Exit>;
  /** Resolves when the process itself has ended, even if not all that it printed was read. */
  readonly gone: Promise<Exit>;
  readonly #child: ChildProcessByStdio<Writable | null, Readable | null, Readable | null>;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #ended = false;

  constructor([program, ...args]: readonly [string, ...string[]], options: ProcessOptions) {
    this.#child = spawn(program, args, {
      cwd: options.folder,
      env: options.environment,
      ...options.user,
      stdio: [
        options.reads ? 'pipe' : 'ignore',
        options.stdout ?? 'pipe',
        options.stderr ?? 'pipe',
        ...(options.passed ?? []),
      ],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#changes.emit('change');
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#changes.emit('change');
    });
    this.gone = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.exit = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#ended = true;
        this.#changes.emit('change');
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Everything that was printed. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  /** Waits until a function of what was printed returns something. Rejects if the process ends before. */
  async until<Found>(find: () => Found | undefined, what: string): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#ended) throw new Error(`The process ended without ${what}.\n${this.output}`);
      await once(this.#changes, 'change');
    }
  }

  /** Writes a line to its standard input. */
  writeLine(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Writes to its standard input what a person types. */
  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Ends its standard input. */
  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Reads no more of its standard output, until `readOn`. */
  stopReading(): void {
    this.#child.stdout?.pause();
  }

  readOn(): void {
    this.#child.stdout?.resume();
  }

  /** Goes away as the reader of its standard output or standard error. */
  close(output: 'stdout' | 'stderr'): void {
    this.#child[output]?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Asks the process to stop in order. */
  stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exit;
  }

  /** Ends the process at once. */
  kill(): Promise<Exit> {
    this.signal('SIGKILL');
    return this.exit;
  }
}
