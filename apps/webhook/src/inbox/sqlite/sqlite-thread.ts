/** The threads that sqlite-store.ts starts: one writes, and one reads. Each answers its messages one after the other. */
import { parentPort, workerData } from 'node:worker_threads';

import { ReceiverError } from '../../errors.js';
import type { Statement, WriteBatch, WriteOutcome } from '../store.js';
import { openDatabase, openForReading, type OpenDatabase } from './open-database.js';
import { faultIn, type SqliteFault } from './sqlite-errors.js';
import { inTransaction, prepareWriter, type Writer } from './write-batch.js';

/** What a thread is given. */
export interface ThreadOptions {
  readonly folder: string;
  readonly receiver: string;
  readonly mode: 'write' | 'read';
}

/** What a thread is asked for. */
export type ThreadRequest =
  | { readonly kind: 'write'; readonly batch: WriteBatch }
  | { readonly kind: 'run'; readonly statement: Statement }
  | { readonly kind: 'close' };

/** What a thread answers, first of all that it has opened the database. */
export type ThreadResponse =
  | { readonly result: unknown }
  | { readonly fault: SqliteFault }
  | { readonly refused: Pick<ReceiverError, 'code' | 'message'>; readonly fault: SqliteFault };

/** An outcome as it passes between threads. */
export interface ThreadOutcome {
  readonly arrivals: readonly (WriteOutcome['arrivals'][number] | SqliteFault)[];
  readonly results: readonly (SqliteFault | undefined)[];
}

const { folder, receiver, mode } = workerData as ThreadOptions;
const port = parentPort!;
const respond = (response: ThreadResponse): void => port.postMessage(response);

const opened = open();
if (opened !== undefined) {
  const perform = requestsTo(opened);
  port.on('message', (request: ThreadRequest) => respond(perform(request)));
  respond({ result: undefined });
}

function open(): OpenDatabase | undefined {
  try {
    return mode === 'write' ? openDatabase(folder) : openForReading(folder);
  } catch (error) {
    const { code, message, cause = error } = error as ReceiverError;
    respond({ refused: { code, message }, fault: faultIn(cause) });
    return undefined;
  }
}

function requestsTo({ database, close }: OpenDatabase): (request: ThreadRequest) => ThreadResponse {
  const write: Writer | undefined = mode === 'write' ? prepareWriter(database, receiver) : undefined;
  const run = ({ text, values }: Statement): unknown[] => {
    const statement = database.prepare(text.replaceAll(/\$(?=\d)/g, '?'));
    return statement.reader ? statement.all(values) : (statement.run(values), []);
  };
  const perform = (request: ThreadRequest): unknown => {
    if (request.kind === 'write') return asPassed(write!(request.batch));
    if (request.kind === 'run')
      return write === undefined
        ? run(request.statement)
        : inTransaction(database, () => run(request.statement));
    return close();
  };
  return (request) => {
    try {
      return { result: perform(request) };
    } catch (error) {
      return { fault: faultIn(error) };
    }
  };
}

function asPassed({ arrivals, results }: WriteOutcome): ThreadOutcome {
  const pass = <Value>(value: Value | Error): Value | SqliteFault =>
    value instanceof Error ? faultIn(value) : value;
  return { arrivals: arrivals.map(pass), results: results.map(pass) };
}
