/** The threads that sqlite-store.ts starts: one writes, and one reads. Each responds to its messages in their order. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

import { ReceiverError } from '../../errors.js';
import type { Upgrade } from '../migrations.js';
import type { Sql } from '../sql.js';
import { Room } from '../store.js';
import {
  emptyLog,
  inTransaction,
  openDatabase,
  openForReading,
  type OpenDatabase,
  openingError,
  type OwnedDatabase,
  runAll,
} from './open-database.js';
import { requireObjects, UpgradeNeeded } from './migrate.js';
import { type CycleCall, prepareCycle } from './sqlite-cycle.js';
import { faultIn, type SqliteFault } from './sqlite-errors.js';

/** What a thread is given. */
export interface ThreadOptions {
  readonly folder: string;
  readonly receiver: string;
  /** `upgrade` opens the inbox, with what that takes for tables of an earlier version, and closes it again. */
  readonly mode: 'write' | 'read' | 'upgrade';
  /** The memory of a `Room`. */
  readonly room: Int32Array<SharedArrayBuffer>;
}

/** What a thread is asked for. */
export type ThreadRequest =
  | { readonly kind: 'cycle'; readonly call: CycleCall }
  | { readonly kind: 'run'; readonly statements: readonly Sql[] }
  | { readonly kind: 'check' }
  | { readonly kind: 'probe'; readonly call: CycleCall }
  | { readonly kind: 'wait' }
  | { readonly kind: 'empty log' }
  | { readonly kind: 'close' };

/**
 * What a thread responds, first of all that it has opened the database. Cycles that were called together have one
 * response. A fault is of each of them, and nothing of them is written. What is lost meanwhile
 * it tells unasked.
 */
export type ThreadResponse =
  | Response
  | { readonly lost: SqliteFault }
  | { readonly needs: Upgrade }
  | { readonly refused: Pick<ReceiverError, 'code' | 'message'>; readonly fault: SqliteFault };

/** A response to so many requests. */
type Response = { readonly requests: number } & (
  { readonly isCycle: boolean; readonly result: unknown } | { readonly fault: SqliteFault }
);

/** How often to look at the files while nothing is written, in milliseconds. */
const WATCH_INTERVAL = 1_000;

/** Most content in one transaction, in bytes, if it is of more than one call. */
const MAX_BYTES = 32 * 1_048_576;

const { folder, receiver, mode, room } = workerData as ThreadOptions;
const port = parentPort!;
const respond = (response: ThreadResponse): void => port.postMessage(response);

try {
  if (mode === 'upgrade') openDatabase(folder).close();
  else if (mode === 'write') serveWrites(openDatabase(folder, false));
  else serveReads(openForReading(folder));
  respond({ requests: 1, isCycle: false, result: undefined });
} catch (error) {
  if (error instanceof UpgradeNeeded) respond({ needs: error.upgrade });
  else {
    const { code, message, cause } = openingError(folder, error);
    respond({ refused: { code, message }, fault: faultIn(cause) });
  }
}

/** Takes every cycle that was called meanwhile into one transaction, so that groups grow by themselves on a slow disk. */
function serveWrites({ database, files, close }: OwnedDatabase): void {
  const { run, probe } = prepareCycle(database, receiver, new Room(room));
  /** Nothing is acknowledged that was written to files which others have taken away. */
  const respondUnlessLost = (response: Response): void => {
    const loss = files.loss();
    respond(loss === undefined ? response : failed(response.requests, loss));
  };
  const watch = setInterval(() => {
    const loss = files.loss();
    if (loss === undefined) return;
    clearInterval(watch);
    respond({ lost: faultIn(loss) });
  }, WATCH_INTERVAL);
  const end = (): void => {
    clearInterval(watch);
    close();
  };
  const workFor = (request: Exclude<ThreadRequest, { kind: 'cycle' | 'close' }>): unknown => {
    if (request.kind === 'wait') return undefined;
    if (request.kind === 'empty log') return emptyLog(database);
    if (request.kind === 'check') return requireObjects(database);
    if (request.kind === 'probe') return probe(request.call, Date.now());
    return inTransaction(database, () => runAll(database, request.statements));
  };
  port.on('message', (first: ThreadRequest) => {
    let request: ThreadRequest | undefined = first;
    while (request !== undefined) {
      const calls: CycleCall[] = [];
      let bytes = 0;
      for (; request?.kind === 'cycle' && bytes < MAX_BYTES; request = next()) {
        calls.push(request.call);
        bytes += request.call.contents.length;
      }
      if (calls.length > 0)
        respondUnlessLost({
          ...perform(() => run(calls, Date.now())),
          requests: calls.length,
          isCycle: true,
        });
      if (request === undefined || request.kind === 'cycle') continue;
      const other = request;
      if (other.kind === 'close') respond(perform(end));
      else respondUnlessLost(perform(() => workFor(other)));
      request = next();
    }
  });
}

function serveReads({ database, close }: OpenDatabase): void {
  port.on('message', (request: ThreadRequest) => {
    respond(perform(() => (request.kind === 'run' ? runAll(database, request.statements) : close())));
  });
}

function next(): ThreadRequest | undefined {
  return (receiveMessageOnPort(port) as { message: ThreadRequest } | undefined)?.message;
}

function perform(work: () => unknown): Response {
  try {
    return { requests: 1, isCycle: false, result: work() };
  } catch (error) {
    return failed(1, error);
  }
}

function failed(requests: number, error: unknown): Response {
  return { requests, fault: faultIn(error) };
}
