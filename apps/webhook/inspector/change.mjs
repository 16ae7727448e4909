/**
 * Replays or discards one delivery, or all of a filter: in parts, with progress, until it is stopped.
 *
 * @import { DeliveryFilter } from '../src/inbox/inbox-operations.js'
 */
import { find, say } from './page.mjs';
import * as receiver from './receiver.mjs';
import * as words from './words.mjs';

/** How many deliveries a part has. */
const LIMIT = 500;

/**
 * @typedef {object} Selection
 * @property {string} what in words, such as `delivery 7` or `parked deliveries`
 * @property {DeliveryFilter} filter
 *
 * @typedef {Selection & { action: 'replay' | 'discard' }} Change
 */

const dialog = find('change', HTMLDialogElement);
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

/** @param {Change} change */
function consequence({ action, filter: { state } }) {
  if (action === 'discard')
    return 'The head and the content of parked deliveries are deleted for good. Their error and your reason are kept. Others are left out.';
  const all = 'The handler gets them again, with all of its attempts.';
  return state === 'parked' || state === 'waiting' ? all : `${all} What it has handled, it handles again.`;
}

/**
 * Asks before a change, then makes it.
 *
 * @param {Change} change
 */
export function confirmChange(change) {
  const { verb } = WORDS[change.action];
  asked = change;
  find('change-title', HTMLElement).textContent = `${verb} ${change.what}?`;
  find('change-what', HTMLElement).textContent = consequence(change);
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
export const replayNow = (selection) => make({ ...selection, action: 'replay' }, { isStopped: false });

dialog.querySelector('form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  if (asked === undefined || confirm.hidden) return;
  confirm.hidden = true;
  reason.disabled = true;
  cancel.textContent = 'Stop';
  progress.hidden = false;
  bar.removeAttribute('value');
  cancel.focus();
  run = { isStopped: false };
  void make(asked, run);
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
async function make({ action, filter }, ours) {
  const { done: participle } = WORDS[action];
  const why = reason.value;
  let changed = 0;
  let failure = '';
  try {
    // What arrives from now on isn't part of it: it would have no end.
    const [oldest, newest] = await Promise.all([endOf(filter, 'oldest'), endOf(filter, 'newest')]);
    const bounded = { ...filter, firstId: oldest, lastId: newest };
    let after = /** @type {number | null} */ (oldest - 1);
    while (after !== null && after < newest && !ours.isStopped) {
      const batch = { filter: bounded, after, limit: LIMIT };
      const result = await (action === 'replay' ? receiver.replay(batch) : receiver.discard(batch, why));
      changed += result.changed;
      after = result.next;
      if (ours !== run) continue;
      bar.value = ((after ?? newest) - oldest + 1) / (newest - oldest + 1);
      done.textContent = `${words.count(changed)} ${participle}`;
    }
    if (after !== null && ours.isStopped) failure = ' Then it was stopped.';
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
