import { ReceiverError } from '../errors.js';
import type { Inbox } from './inbox.js';

type Operation = Exclude<keyof Inbox, 'location' | 'watch' | 'abandon' | 'close'>;

/**
 * Rejects each call that comes after `close`. A closed SQLite database could still write, although its lock is gone, and
 * some calls would end the process.
 */
export function refuseWhenClosed(inbox: Inbox): Inbox {
  let isClosed = false;
  const unlessClosed = <Name extends Operation>(name: Name): Inbox[Name] => {
    const run = inbox[name].bind(inbox) as (...args: unknown[]) => Promise<unknown>;
    return ((...args: unknown[]): Promise<unknown> =>
      isClosed ? Promise.reject(closed(name, inbox)) : run(...args)) as Inbox[Name];
  };
  return {
    location: inbox.location,
    accept: unlessClosed('accept'),
    recover: unlessClosed('recover'),
    claim: unlessClosed('claim'),
    settle: unlessClosed('settle'),
    removeExpired: unlessClosed('removeExpired'),
    check: unlessClosed('check'),
    list: unlessClosed('list'),
    find: unlessClosed('find'),
    read: unlessClosed('read'),
    replay: unlessClosed('replay'),
    discard: unlessClosed('discard'),
    setPaused: unlessClosed('setPaused'),
    stats: unlessClosed('stats'),
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
