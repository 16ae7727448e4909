import { join } from 'node:path';

import { ACCESS_TOKEN } from './access-token.js';
import { makeFolder } from './make-folder.js';
import { MAIN, ReceiverProcess, type Settings } from './receiver-process.js';
import { afterThisTest, type TearDown } from './teardown.js';

/** How a receiver is started. */
export interface ReceiverOptions {
  /** Override those that let it start: a token, a free port, a folder. A setting that is '' is left out. */
  readonly settings?: Settings;
  /** Its inbox is in here. */
  readonly folder?: string;
  /** Largest file that the process may write, in blocks of 512 bytes. */
  readonly maxFileBlocks?: number;
  readonly tearDown?: TearDown;
}

/** A receiver that listens. */
export interface RunningReceiver {
  readonly process: ReceiverProcess;
  readonly port: number;
  /** Where the delivery path begins. */
  readonly origin: string;
  readonly inbox: string;
}

/** The folder of the inbox. */
export const inboxOf = (folder: string): string => join(folder, 'inbox');

/** Starts a receiver, whether it will listen or not. It ends with the test. */
export function spawnReceiver(options: ReceiverOptions = {}): ReceiverProcess {
  const { tearDown = afterThisTest, settings, maxFileBlocks } = options;
  const folder = options.folder ?? makeFolder(tearDown);
  const given = {
    ACCESS_TOKENS: ACCESS_TOKEN,
    PORT: '0',
    OPERATIONS_PORT: '0',
    INBOX_URL: `file:${inboxOf(folder)}`,
    ...settings,
  };
  const limited = `ulimit -S -f ${maxFileBlocks}; exec "$0" "$1"`;
  const receiver = new ReceiverProcess(
    given,
    maxFileBlocks === undefined ? undefined : ['/bin/sh', '-c', limited, process.execPath, MAIN],
  );
  tearDown(() => receiver.kill());
  return receiver;
}

/** Starts a receiver and waits until it listens. It ends with the test. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<RunningReceiver> {
  const folder = options.folder ?? makeFolder(options.tearDown);
  const process = spawnReceiver({ ...options, folder });
  const { url } = await process.logged('listening');
  const { origin, port } = new URL(url as string);
  return { process, origin, port: Number(port), inbox: inboxOf(folder) };
}
