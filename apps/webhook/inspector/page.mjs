/**
 * What the page shows now, and how it gets to another place.
 *
 * @import { InboxStats } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 * @import { About } from './receiver.mjs'
 */
import { addressOf, placeOf } from './place.mjs';
import { RequestError } from './receiver.mjs';
import { say } from './ui.mjs';

/** Undefined is what isn't known yet. `lostAt` is when the receiver stopped to respond, if it doesn't. */
export const page = {
  place: placeOf(location.search),
  stats: /** @type {InboxStats | undefined} */ (undefined),
  about: /** @type {About | undefined} */ (undefined),
  lostAt: /** @type {number | undefined} */ (undefined),
};

/** Whether the receiver doesn't respond: nothing can be done then. */
export const isGone = () => page.lostAt !== undefined;

/** @param {Partial<Place>} place @param {'push' | 'replace'} [how] whether Back leads to the present place */
export const go = (place, how) => goTo(addressOf(place), how);

/** @param {string} address @param {'push' | 'replace'} how */
export function goTo(address, how = 'push') {
  if (address !== location.search) history[`${how}State`](null, '', address);
  dispatchEvent(new Event('popstate'));
}

/** Says what fails, unless the banner says it already. */
export async function quietly(/** @type {() => Promise<unknown>} */ work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code !== 'UNREACHABLE') say(error.message);
  }
}

/** Moves the focus to the heading of what is shown, if the element that had it is gone. */
export function keepFocus() {
  if (document.activeElement !== document.body) return;
  (document.getElementById('delivery') ?? document.getElementById('deliveries'))?.focus();
}
