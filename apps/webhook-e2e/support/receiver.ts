import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterThisTest, type CleanUp, makeFolder, NO_HANDLER } from '@plant-store/test-support';

import { ACCESS_TOKEN } from './messages.js';
import { type Environment, TestProcess, type User } from './process.js';

/** How a receiver is started. */
export interface ReceiverOptions {
  /** Override the token, the free port and the folder that it is started with. A setting that is '' is left out. */
  readonly settings?: Environment;
  /** The folder that contains the folder of its inbox. */
  readonly folder?: string;
  /** Largest file that the process may write, in blocks of 512 bytes. */
  readonly maxFileBlocks?: number;
  /** File descriptors of its log and its standard error. By default the test reads them. */
  readonly stdout?: number;
  readonly stderr?: number;
  /** How many files and connections the process may have open. */
  readonly maxOpenFiles?: number;
  /** Whose it is, if the test runs as root. */
  readonly user?: User;
  /** The command that starts it. */
  readonly within?: readonly [string, ...string[]] | undefined;
  /** Its main file, if it isn't the receiver that was built. */
  readonly main?: string;
  /** When it ends. */
  readonly cleanUp?: CleanUp;
}

/** A receiver that listens. */
export interface RunningReceiver {
  readonly process: ReceiverProcess;
  readonly port: number;
  /** The base URL of the delivery path. */
  readonly origin: string;
  /** The folder of its inbox. */
  readonly inbox: string;
}

/** The folder of the inbox. */
export const inboxOf = (folder: string): string => join(folder, 'inbox');

/** Starts a receiver and doesn't wait for it. It ends after the test. */
export function spawnReceiver(options: ReceiverOptions = {}): ReceiverProcess {
  const { cleanUp = afterThisTest, settings } = options;
  const folder = options.folder ?? makeFolder(cleanUp);
  const receiver = new ReceiverProcess({ ...environmentIn(folder), PORT: '0', ...settings }, options);
  cleanUp(() => receiver.kill());
  return receiver;
}

/** The settings of a receiver with its inbox in a folder, but where it listens. It never runs the team's handler. */
export const environmentIn = (folder: string): Environment => ({
  ...everythingOpen,
  HANDLER: NO_HANDLER,
  ACCESS_TOKENS: ACCESS_TOKEN,
  OPERATIONS_PORT: '0',
  INBOX_URL: `file:${inboxOf(folder)}`,
});

/** Starts a receiver and waits until it listens. It ends after the test. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<RunningReceiver> {
  const folder = options.folder ?? makeFolder(options.cleanUp);
  const process = spawnReceiver({ ...options, folder });
  const { url } = await process.logged('listening');
  // Not every address is a valid URL.
  const [, origin, port] = /^(.*:(\d+))\//.exec(url as string)!;
  return { process, origin: origin!, port: Number(port), inbox: inboxOf(folder) };
}

export const BUILT_RECEIVER = fileURLToPath(new URL('../../webhook/dist/main.js', import.meta.url));

/** One line of a receiver's log. */
export interface LogEntry {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A process that prints a log, one JSON object a line. */
export class LoggingProcess extends TestProcess {
  readonly #entries: LogEntry[] = [];
  #parsed = 0;

  /** The lines of the log so far; with a message, only those that have it. */
  entries(message?: string): readonly LogEntry[] {
    for (let end; (end = this.stdout.indexOf('\n', this.#parsed)) !== -1; this.#parsed = end + 1) {
      this.#entries.push(JSON.parse(this.stdout.slice(this.#parsed, end)) as LogEntry);
    }
    return message === undefined ? this.#entries : this.#entries.filter(({ msg }) => msg === message);
  }

  /** Waits until the log has this many lines with the message. Rejects if the process ends before. */
  logged(message: string, count = 1): Promise<LogEntry> {
    return this.until(() => this.entries(message)[count - 1], `"${message}" in its log`);
  }
}

/** A process of the built receiver, with every question open. */
export class ReceiverProcess extends LoggingProcess {
  readonly #isFirst: boolean;

  constructor(
    settings: Environment,
    { maxFileBlocks, maxOpenFiles, within, main = BUILT_RECEIVER, stdout, stderr, user }: ReceiverOptions,
  ) {
    const limits = [
      ...(maxFileBlocks === undefined ? [] : [`ulimit -S -f ${maxFileBlocks}`]),
      // Node raises a soft limit to the hard one.
      ...(maxOpenFiles === undefined ? [] : [`ulimit -n ${maxOpenFiles}`]),
    ];
    const node = [process.execPath, main] as const;
    const limited = ['/bin/sh', '-c', [...limits, 'exec "$0" "$1"'].join(' && '), ...node] as const;
    const environment = { ...everythingOpen, ...settings };
    const command = limits.length === 0 ? node : limited;
    super(within ? [...within, ...command] : command, { environment, stdout, stderr, user });
    this.#isFirst = within === FIRST_PROCESS;
  }

  /** The one that starts the first process passes no signal on. */
  override signal(name: NodeJS.Signals): void {
    if (!this.#isFirst || name === 'SIGKILL') return super.signal(name);
    try {
      const [child] = /\d+/.exec(readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')) ?? [];
      // As a number, no text is 0: the group of the tests themselves would get the signal, and end without a word.
      if (child !== undefined) process.kill(Number(child), name);
    } catch {
      // It has just ended.
    }
  }
}

const UNSHARE = ['unshare', '--user', '--map-root-user'] as const;

/** Starts a program as the first process that it sees, as in a container. */
export const FIRST_PROCESS = [...UNSHARE, '--pid', '--fork', '--kill-child'] as const;

/** Whether this machine lets its users start such programs. */
export const canUnshare =
  spawnSync(UNSHARE[0], [...UNSHARE.slice(1), '--pid', '--fork', 'true']).status === 0;

const BUILT_ANSWERS = fileURLToPath(new URL('../../../libs/contract/dist/answers.js', import.meta.url));
const EVERYTHING_OPEN = fileURLToPath(
  new URL('../../../libs/test-support/everything-open.mjs', import.meta.url),
);

const hasNoAnswers = /^export const answers = \{\};$/m.test(readFileSync(BUILT_ANSWERS, 'utf8'));

/** Environment variables with which a Node.js process has no answers. Empty if the contract has none. */
export const everythingOpen: Environment = hasNoAnswers
  ? {}
  : { NODE_OPTIONS: `--import=${EVERYTHING_OPEN}` };

/** The setting with which a receiver loads these modules before its own. */
export const preloading = (...modules: readonly string[]): Environment => ({
  NODE_OPTIONS: [everythingOpen['NODE_OPTIONS'], ...modules.map((module) => `--import=${module}`)]
    .join(' ')
    .trim(),
});
