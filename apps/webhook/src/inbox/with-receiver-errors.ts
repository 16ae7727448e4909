import { ReceiverError } from '../errors.js';
import type { Inbox } from './inbox.js';
import type { InboxOperations } from './inbox-operations.js';

type Call = Exclude<keyof Inbox, 'location' | 'watch' | 'abandon' | 'close'>;

/**
 * Rejects each call that comes after `close`. A closed SQLite database could still write, although its lock is gone, and
 * some calls would end the process. A call of an operator, who reads the message, rejects with nothing but ReceiverErrors.
 *
 * @param translate what to throw in place of an error of any call
 */
export function withReceiverErrors(
  inbox: Inbox,
  translate: (error: unknown) => unknown = (error) => error,
): Inbox {
  let isClosed = false;
  const unlessClosed = <Name extends Call>(name: Name): Inbox[Name] => {
    const run = inbox[name].bind(inbox) as (...args: unknown[]) => Promise<unknown>;
    return ((...args: unknown[]): Promise<unknown> =>
      isClosed
        ? Promise.reject(closed(name, inbox))
        : run(...args).catch((error: unknown) => {
            throw translate(error);
          })) as Inbox[Name];
  };
  const forOperators = <Name extends keyof InboxOperations>(name: Name): Inbox[Name] => {
    const run = unlessClosed(name) as (...args: unknown[]) => Promise<unknown>;
    return ((...args: unknown[]): Promise<unknown> =>
      run(...args).catch((cause: unknown) => {
        throw cause instanceof ReceiverError ? cause : failed(cause, inbox);
      })) as Inbox[Name];
  };
  return {
    location: inbox.location,
    accept: unlessClosed('accept'),
    recover: unlessClosed('recover'),
    claim: unlessClosed('claim'),
    settle: unlessClosed('settle'),
    removeExpired: unlessClosed('removeExpired'),
    check: unlessClosed('check'),
    list: forOperators('list'),
    find: forOperators('find'),
    read: forOperators('read'),
    replay: forOperators('replay'),
    discard: forOperators('discard'),
    setPaused: forOperators('setPaused'),
    stats: forOperators('stats'),
    ...(inbox.watch !== undefined && { watch: inbox.watch.bind(inbox) }),
    ...(inbox.abandon !== undefined && { abandon: inbox.abandon.bind(inbox) }),
    close: () => {
      isClosed = true;
      return inbox.close();
    },
  };
}

function closed(operation: Call, { location }: Inbox): ReceiverError {
  return new ReceiverError(
    'INBOX_CLOSED',
    `The inbox at ${location} is closed, so "${operation}" cannot be done. Call it before close, or open the inbox again.`,
  );
}

function failed(cause: unknown, { location }: Inbox): ReceiverError {
  return new ReceiverError(
    'INBOX_UNUSABLE',
    `The inbox at ${location} cannot be read or written: ${(cause as Error).message}.`,
    { cause },
  );
}
