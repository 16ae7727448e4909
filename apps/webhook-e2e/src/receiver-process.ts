import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { everythingOpen } from './everything-open.js';

/** The built receiver. */
export const MAIN = fileURLToPath(new URL('../../webhook/dist/main.js', import.meta.url));

/** Variables of a receiver's environment. */
export type Settings = Readonly<Record<string, string>>;

/** One line of a receiver's log. */
export interface LogEntry {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that runs the built receiver with everything open. It sees no variable but the settings. */
export class ReceiverProcess {
  /** Everything that was written to standard error. */
  stderr = '';
  /** Resolves when the process has ended and all that it wrote is there. */
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #entries: LogEntry[] = [];
  #stdout = '';
  #parsed = 0;
  #ended = false;

  /** @param command runs the receiver; Node with the built one, or a shell that does so in its place */
  constructor(settings: Settings, command: readonly string[] = [process.execPath, MAIN]) {
    const [program, ...args] = command as [string, ...string[]];
    this.#child = spawn(program, args, {
      env: { ...everythingOpen, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#onStdout(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#changes.emit('change');
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

  /** Everything that was written to standard output. */
  get stdout(): string {
    return this.#stdout;
  }

  /** The lines of the log so far; with a message, those that have it. */
  entries(message?: string): readonly LogEntry[] {
    return message === undefined ? this.#entries : this.#entries.filter(({ msg }) => msg === message);
  }

  /** Resolves as soon as the log has this many lines with the message. Rejects if the process ends before. */
  async logged(message: string, count = 1): Promise<LogEntry> {
    while (this.entries(message).length < count) {
      if (this.#ended) throw new Error(`The receiver ended without "${message}".\n${this.output}`);
      await once(this.#changes, 'change');
    }
    return this.entries(message)[count - 1]!;
  }

  /** All that was written, for messages. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Asks the receiver to stop in order. */
  stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exit;
  }

  /** Ends the process at once. */
  kill(): Promise<Exit> {
    this.signal('SIGKILL');
    return this.exit;
  }

  #onStdout(text: string): void {
    this.#stdout += text;
    for (let end; (end = this.#stdout.indexOf('\n', this.#parsed)) !== -1; this.#parsed = end + 1) {
      this.#entries.push(JSON.parse(this.#stdout.slice(this.#parsed, end)) as LogEntry);
    }
    this.#changes.emit('change');
  }
}
