import { ReceiverError } from '../errors.js';
import type { Inbox } from './inbox.js';

type Operation = Exclude<keyof Inbox, 'location' | 'watch' | 'abandon' | 'close'>;

/**
 * Rejects each call that comes after `close`. A closed SQLite database could still write, although its lock is gone, and
 * some calls would end the process.
 */
export function refuseWhenClosed(inbox: Inbox): Inbox {
  let isClosed = false;
  const guard = <Name extends Operation>(name: Name): Inbox[Name] => {
    const run = inbox[name].bind(inbox) as (...args: unknown[]) => Promise<unknown>;
    const guarded = (...args: unknown[]): Promise<unknown> =>
      isClosed ? Promise.reject(closed(name, inbox)) : run(...args);
    return guarded as Inbox[Name];
  };
  return {
    location: inbox.location,
    accept: guard('accept'),
    recover: guard('recover'),
    claim: guard('claim'),
    settle: guard('settle'),
    removeExpired: guard('removeExpired'),
    check: guard('check'),
    list: guard('list'),
    find: guard('find'),
    read: guard('read'),
    replay: guard('replay'),
    discard: guard('discard'),
    setPaused: guard('setPaused'),
    stats: guard('stats'),
    ...(inbox.watch !== undefined && { watch: inbox.watch.bind(inbox) }),
    ...(inbox.abandon !== undefined && { abandon: inbox.abandon.bind(inbox) }),
    close: () => {
      isClosed = true;
      return inbox.close();
    },
  };
}

function closed(operation: Operation, { location }: Inbox): ReceiverError {
  return new ReceiverError(
    'INBOX_CLOSED',
    `The inbox at ${location} is closed, so "${operation}" cannot be done. Call it before close, or open the inbox again.`,
  );
}
