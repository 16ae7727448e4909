/**
 * Replays or discards one delivery, or all that a place lists: in parts, with progress, until it is stopped.
 *
 * @import { DeliveryFilter, DeliveryState, DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 */
import { find, make, say } from './page.mjs';
import { filterOf, timesOf, wordsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import * as words from './words.mjs';

/** How many deliveries a part has. */
const LIMIT = 500;
/** Deliveries are counted up to here. */
const MOST_COUNTED = 10_000;

/**
 * @typedef {object} Selection
 * @property {string} what in words, such as `delivery 7` or `12 parked deliveries`
 * @property {readonly DeliveryFilter[]} filters one is done after the other
 * @property {string} [note] what is left out
 *
 * @typedef {'replay' | 'discard'} Action
 *
 * @typedef {Selection & { action: Action }} Change
 */

const dialog = find('change', HTMLDialogElement);
const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
const confirm = find('change-confirm', HTMLButtonElement);
const cancel = find('change-cancel', HTMLButtonElement);
const progress = find('change-progress', HTMLElement);
const bar = /** @type {HTMLProgressElement} */ (progress.querySelector('progress'));
const done = find('change-done', HTMLElement);
const reason = /** @type {HTMLInputElement} */ (dialog.querySelector('input[name=reason]'));

/** @type {Change | undefined} */
let asked;
/** What was started in the dialog, and may be stopped there. */
let run = { isStopped: false };

const WORDS = {
  replay: { verb: 'Replay', done: 'replayed' },
  discard: { verb: 'Discard', done: 'discarded' },
};

/**
 * The states whose deliveries are changed if none is chosen. Handled ones have had their effect: whoever wants it again
 * chooses them.
 *
 * @type {Record<Action, readonly DeliveryState[]>}
 */
const STATES = { replay: ['waiting', 'parked'], discard: ['parked'] };

/** @param {Change} change */
function consequence({ action, filters, note = '' }) {
  if (action === 'discard')
    return [
      make('strong', {}, "This can't be undone."),
      ' The head and the content are deleted for good. The error and your reason are kept.',
    ];
  const isHandled = filters.some(({ state }) => state === 'handled');
  return [
    'The handler gets them again, with all of its attempts. ',
    isHandled ? make('strong', {}, 'What it has handled, it handles again.') : note,
  ];
}

let isCounting = false;

/**
 * Counts the deliveries that a place lists, and asks before they are changed.
 *
 * @param {Action} action
 * @param {Place} place
 */
export async function confirmAll(action, place) {
  if (isCounting) return;
  isCounting = true;
  try {
    const states = place.state === undefined ? STATES[action] : [place.state];
    const counts = await Promise.all(states.map((state) => count({ ...filterOf(place), state })));
    const some = counts.filter(({ number }) => number > 0);
    if (some.length === 0) return say(`There are no ${wordsOf(place)} to ${action}.`);
    const noun = some.at(-1)?.number === 1 ? 'delivery' : 'deliveries';
    const note = place.state === undefined ? 'Handled ones are left out: choose handled to replay them.' : '';
    const what = [some.map(({ text }) => text).join(' and '), noun, ...timesOf(place)].join(' ');
    confirmChange({ action, what, filters: some.map(({ filter }) => filter), note });
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    say(error.message);
  } finally {
    isCounting = false;
  }
}

/**
 * Counts the deliveries of a state that can be changed. The filter that it returns has no others: what arrives from now
 * on isn't part of it.
 *
 * @param {DeliveryFilter & { state: DeliveryState }} filter
 */
async function count(filter) {
  /** @type {DeliverySummary[]} */
  const found = [];
  for (let isEnd = false; !isEnd && found.length < MOST_COUNTED;) {
    const part = await receiver.list(filter, { order: 'newest', after: found.at(-1)?.id, limit: LIMIT });
    found.push(...part);
    isEnd = part.length < LIMIT;
  }
  // Those that wait for their first attempt come anyway.
  const number = found.filter(({ state, attempts }) => state !== 'waiting' || attempts > 0).length;
  const least = found.length < MOST_COUNTED ? '' : 'at least ';
  const lastId = found[0]?.id ?? 0;
  return { number, text: `${least}${words.count(number)} ${filter.state}`, filter: { ...filter, lastId } };
}

/**
 * Asks before a change, then makes it.
 *
 * @param {Change} change
 */
export function confirmChange(change) {
  const { verb } = WORDS[change.action];
  asked = change;
  dialog.className = change.action;
  find('change-title', HTMLElement).textContent = `${verb} ${change.what}?`;
  find('change-what', HTMLElement).replaceChildren(...consequence(change));
  find('change-reason', HTMLElement).hidden = change.action === 'replay';
  reason.disabled = change.action === 'replay';
  reason.value = '';
  confirm.textContent = verb;
  confirm.hidden = false;
  cancel.textContent = 'Cancel';
  progress.hidden = true;
  done.textContent = '';
  dialog.showModal();
}

/**
 * Replays without a question: nothing is lost by it.
 *
 * @param {Selection} selection
 */
export const replayNow = (selection) => carryOut({ ...selection, action: 'replay' }, { isStopped: false });

// Enter in the field of the reason changes nothing yet.
form.addEventListener('submit', (event) => {
  event.preventDefault();
  confirm.focus();
});
confirm.addEventListener('click', () => {
  if (asked === undefined || confirm.hidden || !form.reportValidity()) return;
  confirm.hidden = true;
  reason.disabled = true;
  cancel.textContent = 'Stop';
  progress.hidden = false;
  bar.removeAttribute('value');
  cancel.focus();
  run = { isStopped: false };
  void carryOut(asked, run);
});
cancel.addEventListener('click', () => dialog.close());
dialog.addEventListener('close', () => {
  run.isStopped = true;
  // The button that opened it may be gone.
  if (document.activeElement === document.body)
    (document.getElementById('delivery') ?? find('deliveries', HTMLElement)).focus();
});

/**
 * @param {Change} change
 * @param {{ isStopped: boolean }} ours
 */
async function carryOut({ action, filters }, ours) {
  const { done: participle } = WORDS[action];
  const why = reason.value;
  let changed = 0;
  let failure = '';
  try {
    for (const [index, filter] of filters.entries()) {
      const [oldest, newest] = await Promise.all([endOf(filter, 'oldest'), endOf(filter, 'newest')]);
      const bounded = { ...filter, firstId: oldest, lastId: newest };
      let after = /** @type {number | null} */ (oldest - 1);
      while (after !== null && after < newest && !ours.isStopped) {
        const batch = { filter: bounded, after, limit: LIMIT };
        const result = await (action === 'replay' ? receiver.replay(batch) : receiver.discard(batch, why));
        changed += result.changed;
        after = result.next;
        if (ours !== run) continue;
        bar.value = (index + ((after ?? newest) - oldest + 1) / (newest - oldest + 1)) / filters.length;
        done.textContent = `${words.count(changed)} ${participle}`;
      }
      if (after !== null && after < newest) failure = ' Then it was stopped.';
    }
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    failure = ` Then it failed: ${error.message}`;
  }
  if (ours === run) dialog.close();
  const number =
    changed === 0 ? 'No delivery' : changed === 1 ? '1 delivery' : `${words.count(changed)} deliveries`;
  say(`${number} ${changed > 1 ? 'were' : 'was'} ${participle}.${failure}`);
}

/**
 * The lowest or the highest id of a filter. Without any delivery, they enclose nothing.
 *
 * @param {DeliveryFilter} filter
 * @param {'oldest' | 'newest'} order
 */
async function endOf(filter, order) {
  const [delivery] = await receiver.list(filter, { order, limit: 1 });
  return delivery?.id ?? (order === 'oldest' ? 1 : 0);
}
