/**
 * Replays or discards one delivery, some, or all that a place lists: asks before, then does it in parts, with progress,
 * until it is stopped.
 *
 * @import { DeliveryFilter, DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Place, State } from './place.mjs'
 */
import { useEffect, useRef } from 'preact/hooks';

import { filterOf, limitsOf, stateFilter, stateOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { html, redraw, say } from './ui.mjs';
import * as words from './words.mjs';

/** How many deliveries a part has. */
const LIMIT = 500;

/**
 * @typedef {'replay' | 'discard'} Action
 *
 * @typedef {object} Change
 * @property {Action} action
 * @property {string} what in words, such as `delivery 7` or `12 parked deliveries`
 * @property {number} count
 * @property {readonly DeliveryFilter[]} filters one is done after the other
 * @property {string} [note] what is left out
 */

const WORDS = {
  replay: { verb: 'Replay', done: 'replayed' },
  discard: { verb: 'Discard', done: 'discarded' },
};

/**
 * The states whose deliveries are changed if none is chosen. Handled ones have had their effect: whoever wants it again
 * chooses them.
 *
 * @type {Record<Action, readonly State[]>}
 */
const STATES = { replay: ['retrying', 'parked'], discard: ['parked'] };

/** What is asked, and what was started in the dialog and may be stopped there. */
const dialog = {
  change: /** @type {Change | undefined} */ (undefined),
  run: /** @type {{ isStopped: boolean, changed: number } | undefined} */ (undefined),
};

let isCounting = false;

/** Counts the deliveries that a place lists, and asks before they are changed. @param {Action} action @param {Place} place */
export async function confirmAll(action, place) {
  if (isCounting) return;
  isCounting = true;
  try {
    const states = place.state === undefined ? STATES[action] : [place.state];
    const counted = await Promise.all(
      states.map((state) => countState({ ...filterOf(place), ...stateFilter(state) }, state)),
    );
    const some = counted.filter(({ count }) => count > 0);
    const limits = limitsOf(place);
    const scope = [place.state, 'deliveries', ...limits].filter(Boolean).join(' ');
    if (some.length === 0) return say(`There are no ${scope} to ${action}.`);
    const count = some.reduce((sum, one) => sum + one.count, 0);
    const noun = some.at(-1)?.count === 1 ? 'delivery' : 'deliveries';
    confirmChange({
      ...{ action, count, filters: some.map(({ filter }) => filter) },
      what: [some.map(({ text }) => text).join(' and '), noun, ...limits].join(' '),
      note: place.state === undefined ? 'Handled ones are left out: choose handled to replay them.' : '',
    });
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    say(error.message);
  } finally {
    isCounting = false;
  }
}

/** The filter that is returned has no others: what arrives from now on isn't part of it. */
async function countState(/** @type {DeliveryFilter} */ filter, /** @type {State} */ state) {
  const [newest] = await receiver.list(filter, { order: 'newest', limit: 1 });
  const bounded = { ...filter, lastId: newest?.id ?? 1 };
  const count = newest === undefined ? 0 : await receiver.count(bounded);
  return { count, text: `${words.count(count)} ${state}`, filter: bounded };
}

/**
 * Asks before deliveries are changed that somebody has chosen one by one, or that a search has found.
 *
 * @param {Action} action
 * @param {readonly DeliverySummary[]} chosen
 * @param {'selected' | 'shown'} how
 */
export function confirmSelected(action, chosen, how) {
  const able = chosen.filter(({ state, attempts }) =>
    action === 'discard'
      ? state === 'parked'
      : state !== 'discarded' && !(state === 'waiting' && attempts === 0),
  );
  if (able.length === 0) return say(`None of the ${how} deliveries can be ${WORDS[action].done}.`);
  const states = [...new Set(able.map(stateOf))];
  const filters = states.map((state) => ({
    ...stateFilter(state),
    ids: able.filter((one) => stateOf(one) === state).map(({ id }) => id),
  }));
  const left = chosen.length - able.length;
  const note =
    left === 0 ? '' : `${words.deliveries(left)} of the selection cannot be ${WORDS[action].done}.`;
  const noun = able.length === 1 ? 'delivery' : 'deliveries';
  const what = `${words.count(able.length)} ${how} ${noun} (${states.join(', ')})`;
  confirmChange({ action, what, count: able.length, filters, note });
}

/** Asks before a change, then makes it. @param {Change} change */
export function confirmChange(change) {
  Object.assign(dialog, { change, run: undefined });
  redraw();
}

/** @param {Action} action @param {DeliverySummary} delivery @returns {Change} */
export const changeOf = (action, delivery) => ({
  ...{ action, what: `delivery ${delivery.id}`, count: 1 },
  filters: [{ ...stateFilter(stateOf(delivery)), firstId: delivery.id, lastId: delivery.id }],
});

/** Replays one. Nothing is lost by it, so nobody is asked, unless it was handled. @param {DeliverySummary} delivery */
export function replayOne(delivery) {
  const change = changeOf('replay', delivery);
  if (delivery.state === 'handled') return confirmChange(change);
  // It may have been handled since it was shown. Whoever replays that is asked first.
  void carryOut(change, { isStopped: false, changed: 0 }, '');
}

/** The dialog, as long as something is asked. */
export function ChangeDialog() {
  const { change, run } = dialog;
  return change && html`<${Question} key=${change} ...${{ change, run }} />`;
}

/** @param {{ change: Change, run: typeof dialog.run }} shown */
function Question({ change, run }) {
  const { action, what, count, filters, note } = change;
  const { verb, done } = WORDS[action];
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const focus = (/** @type {string} */ id) => document.getElementById(id)?.focus();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    focus('change-cancel');
    return () => {
      const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
      if (isThere) before.focus();
      else (document.getElementById('delivery') ?? document.getElementById('deliveries'))?.focus();
    };
  }, []);
  const close = () => {
    if (dialog.run) dialog.run.isStopped = true;
    Object.assign(dialog, { change: undefined, run: undefined });
    redraw();
  };
  const start = () => {
    if (run !== undefined || !form.current?.reportValidity()) return;
    const reason = String(new FormData(form.current).get('reason') ?? '');
    dialog.run = { isStopped: false, changed: 0 };
    void carryOut(change, dialog.run, reason).then(close);
    redraw();
    focus('change-cancel');
  };
  const isHandled = filters.some(({ state }) => state === 'handled');
  return html`<dialog ref=${element} class=${action} aria-labelledby="change-title" onClose=${close}>
    <form
      ref=${form}
      onSubmit=${(/** @type {Event} */ event) => {
        // Enter in the field of the reason changes nothing yet.
        event.preventDefault();
        focus('change-confirm');
      }}
    >
      <h2 id="change-title">${verb} ${what}?</h2>
      ${
        action === 'discard'
          ? html`<p>
                <strong>This can't be undone.</strong> The header fields and the content are deleted for good.
                The error and your reason are kept.
              </p>
              <label
                >Reason, kept with the delivery
                <input
                  name="reason"
                  required
                  pattern=".*\\S.*"
                  maxlength="1000"
                  autocomplete="off"
                  readonly=${run}
              /></label>`
          : html`<p>
              The handler gets ${count === 1 ? 'it' : 'them'} again, with all attempts. ${' '}
              ${isHandled && html`<strong>What it has handled, it handles again.</strong>`}
            </p>`
      }
      ${note && html`<p class="note">${note}</p>`}
      ${
        run &&
        html`<progress max=${count} value=${run.changed} aria-labelledby="change-done"></progress>
          <p id="change-done" role="status">${words.count(run.changed)} ${done}</p>`
      }
      <p class="row">
        <button id="change-cancel" type="button" onClick=${close}>${run ? 'Stop' : 'Cancel'}</button>
        ${
          !run &&
          html`<button
            id="change-confirm"
            type="button"
            class=${action === 'discard' ? 'danger strong' : 'primary'}
            onClick=${start}
          >
            ${verb}${count > 1 ? ` ${words.count(count)}` : ''}
          </button>`
        }
      </p>
    </form>
  </dialog>`;
}

/** @param {Change} change @param {{ isStopped: boolean, changed: number }} run @param {string} reason */
async function carryOut({ action, filters, count }, run, reason) {
  let failure = '';
  try {
    for (const filter of filters) {
      let after = /** @type {number | null} */ (0);
      while (after !== null && !run.isStopped) {
        const batch = { filter, after, limit: LIMIT };
        const result = await (action === 'replay' ? receiver.replay(batch) : receiver.discard(batch, reason));
        run.changed += result.changed;
        after = run.changed >= count ? null : result.next;
        if (after !== null && run.isStopped) failure = ' Then it was stopped.';
        redraw();
      }
    }
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    failure = ` Then it failed: ${error.message}`;
  }
  const number = run.changed === 0 ? 'No delivery' : words.deliveries(run.changed);
  say(`${number} ${run.changed > 1 ? 'were' : 'was'} ${WORDS[action].done}.${failure}`);
}
