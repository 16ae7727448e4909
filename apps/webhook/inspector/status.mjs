/**
 * What the receiver is doing, and whether it can be reached.
 *
 * @import { InboxStats } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 * @import { Stats } from './receiver.mjs'
 */
import { find, make, say, write } from './page.mjs';
import { addressOf, newestOf, STATES } from './place.mjs';
import * as receiver from './receiver.mjs';
import * as words from './words.mjs';

const lost = find('lost', HTMLElement);
const paused = find('paused', HTMLElement);
const pause = find('pause', HTMLButtonElement);
const resume = find('resume', HTMLButtonElement);

const links = [undefined, ...STATES].map((state) => {
  const number = make('span', { className: 'count' });
  const link = make('a', {}, state === undefined ? 'all' : state, ' ', number);
  find('states', HTMLElement).append(make('li', {}, link));
  return { state, link, number };
});

/** @param {Stats['receiver']} about */
export function showReceiver({ inbox, startedAt }) {
  write(find('receiver', HTMLElement), `Inbox ${inbox} · running since ${words.time(startedAt)}`);
}

/** @param {InboxStats} stats */
export function showStats(stats) {
  const { oldestWaitingAt, bytes, isPaused } = stats;
  const total = STATES.reduce((sum, state) => sum + stats[state], 0);
  for (const { state, number } of links)
    write(number, words.count(state === undefined ? total : stats[state]));
  const oldest =
    oldestWaitingAt === null ? [] : [`The oldest waiting one is from ${words.time(oldestWaitingAt)}.`];
  write(find('facts', HTMLElement), [...oldest, `${words.size(bytes)} on disk.`].join(' '));

  const focused = document.activeElement;
  paused.hidden = !isPaused;
  pause.hidden = isPaused;
  // The button that was used is gone. The other one undoes it.
  if (isPaused && focused === pause) resume.focus();
  if (!isPaused && focused === resume) pause.focus();
}

/**
 * Shows which state is listed.
 *
 * @param {Place} place
 */
export function showStates(place) {
  for (const { state, link } of links) {
    link.href = addressOf({ ...newestOf(place), state });
    if (state === place.state) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

export function showLost() {
  if (!lost.hidden) return;
  lost.hidden = false;
  lost.textContent = `The receiver doesn't respond. What you see is from ${words.time(Date.now())}. The page tries again every two seconds.`;
  say("The receiver doesn't respond.");
}

export function showConnected() {
  if (lost.hidden) return;
  lost.hidden = true;
  say('The receiver responds again.');
}

/**
 * Lets the buttons pause and resume the handler.
 *
 * @param {() => Promise<void>} refresh
 */
export function enablePausing(refresh) {
  const set = async (/** @type {boolean} */ isPaused) => {
    try {
      await receiver.setPaused(isPaused);
      await refresh();
      say(isPaused ? 'The handler is paused.' : 'The handler goes on.');
    } catch (error) {
      if (!(error instanceof receiver.RequestError)) throw error;
      say(error.message);
    }
  };
  pause.addEventListener('click', () => set(true));
  resume.addEventListener('click', () => set(false));
}
