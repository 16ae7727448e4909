/**
 * What operators do: replay or discard one delivery, some, or all that a place lists, pause or resume the handler. The
 * page asks before, for a name and a reason too, then does it in parts, with progress, until it is stopped.
 *
 * @import { DeliveryFilter, DeliveryState, DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 */
import { useEffect, useRef } from 'preact/hooks';

import { outcomeOf, outcomeText } from '../src/inbox/in-words.js';
import { isGone, keepFocus, page, quietly } from './page.mjs';
import { filterOf, limitsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Button, html, message, own, redraw, say } from './ui.mjs';
import * as words from './words.mjs';

/** How many deliveries a part has. */
const LIMIT = 500;

/** How often a replay is looked at, in milliseconds. */
const LOOK_INTERVAL = 1_000;

/**
 * @typedef {'replay' | 'discard'} Action
 *
 * @typedef {object} Change
 * @property {Action | 'pause' | 'resume'} action
 * @property {string} what in words, such as `delivery 7` or `12 parked deliveries`
 * @property {number} count
 * @property {readonly DeliveryFilter[]} filters one is done after the other; none if the handler is meant
 * @property {string} [note] what is left out
 * @property {number} [changed] how many are done, once it has started
 * @property {boolean} [isStopped]
 */

const WORDS = {
  replay: {
    verb: 'Replay',
    done: 'replayed',
    leftOut: 'Handled ones are left out: choose handled to replay them.',
  },
  discard: { verb: 'Discard', done: 'discarded', leftOut: 'Only parked ones can be discarded.' },
  pause: { verb: 'Pause', done: 'The handler is paused. Deliveries are accepted, and wait.' },
  resume: { verb: 'Resume', done: 'The handler goes on.' },
};

/** The states whose deliveries can be changed. @type {Record<Action, readonly DeliveryState[]>} */
const STATES = { replay: ['retrying', 'parked', 'handled'], discard: ['parked'] };

/** Whether deliveries of a state can be changed. @param {Action} action @param {DeliveryState | undefined} state */
const isAble = (action, state) => state !== undefined && STATES[action].includes(state);

const nounOf = (/** @type {number | undefined} */ count) => (count === 1 ? 'delivery' : 'deliveries');

/** What is asked, or is being done. */
let asked = /** @type {Change | undefined} */ (undefined);

/** Asks before a change, then makes it. @param {Change} change */
function confirmChange(change) {
  asked ??= change;
  redraw();
}

/**
 * Counts the deliveries that a place lists, and asks before they are changed. Handled ones have had their effect:
 * whoever wants it again chooses them.
 *
 * @param {Action} action
 * @param {Place} place
 */
export const confirmAll = (action, place) =>
  quietly(async () => {
    const unhandled = STATES[action].filter((state) => state !== 'handled');
    const states = place.state === undefined ? unhandled : [place.state];
    const counted = await Promise.all(states.map((state) => countState(place, state)));
    const some = counted.filter(({ count }) => count > 0);
    const limits = limitsOf(place).map((limit) => limit.words);
    const scope = [place.state, 'deliveries', ...limits].filter(Boolean).join(' ');
    if (some.length === 0) return say(`There are no ${scope} to ${action}.`);
    const texts = some.map(({ count, state }) => `${words.count(count)} ${state}`);
    confirmChange({
      action,
      what: [texts.join(' and '), nounOf(some.at(-1)?.count), ...limits].join(' '),
      count: some.reduce((sum, { count }) => sum + count, 0),
      filters: some.map(({ filter }) => filter),
      note: place.state === undefined ? WORDS[action].leftOut : '',
    });
  });

/** The filter that is returned has no others: what arrives from now on isn't part of it. */
async function countState(/** @type {Place} */ place, /** @type {DeliveryState} */ state) {
  const filter = filterOf({ ...place, state });
  const [newest] = await receiver.list(filter, { order: 'newest', limit: 1 });
  const bounded = { ...filter, lastId: newest?.id ?? 1 };
  return {
    state,
    count: newest === undefined ? 0 : (await receiver.counts(bounded))[state],
    filter: bounded,
  };
}

/**
 * Asks before deliveries are changed that somebody has chosen one by one, or that a search has found.
 *
 * @param {Action} action
 * @param {readonly DeliverySummary[]} chosen
 * @param {'selected' | 'shown'} [how] undefined for the one that is meant
 */
export function confirmSome(action, chosen, how) {
  const { done } = WORDS[action];
  const able = chosen.filter(({ state }) => isAble(action, state));
  const left = chosen.length - able.length;
  const statesOf = (/** @type {typeof chosen} */ some) => [...new Set(some.map(({ state }) => state))];
  if (able.length === 0) return say(`What is ${statesOf(chosen).join(' or ')} cannot be ${done}.`);
  const states = statesOf(able);
  confirmChange({
    action,
    what: how
      ? `${words.count(able.length)} ${how} ${nounOf(able.length)} (${states.join(', ')})`
      : `delivery ${able[0]?.id}`,
    count: able.length,
    // As long as they have the state.
    filters: states.map((state) => ({
      state,
      ids: able.filter((delivery) => delivery.state === state).map(({ id }) => id),
    })),
    note: left === 0 ? '' : `${words.deliveries(left)} of the selection cannot be ${done}.`,
  });
}

/** @param {'pause' | 'resume'} action */
export const confirmHandler = (action) =>
  confirmChange({ action, what: 'the handler', count: 1, filters: [] });

/**
 * A button for each action that deliveries of these states allow.
 *
 * @param {{ states: readonly (DeliveryState | undefined)[], act: (action: Action) => void, what?: any, kind?: string, isOff?: boolean, hasIds?: boolean }} shown
 */
export const Changes = ({ states, act, what = '', kind = '', isOff = false, hasIds = false }) =>
  /** @type {const} */ (['replay', 'discard'])
    .filter((action) => states.some((state) => isAble(action, state)))
    .map(
      (action) =>
        html`<${Button}
          id=${hasIds ? action : undefined}
          kind=${action === 'discard' ? 'bad' : kind}
          disabled=${isOff || isGone()}
          act=${() => act(action)}
          >${WORDS[action].verb}${what}…<//
        >`,
    );

/** The dialog, as long as something is asked. */
export const ChangeDialog = () => asked && html`<${Question} key=${asked} change=${asked} />`;

/** @param {{ change: Change }} shown */
function Question({ change }) {
  const { action, what, count, filters, note, changed } = change;
  const { verb, done } = WORDS[action];
  const signedIn = page.about?.operator;
  const isDiscard = action === 'discard';
  const repeats = filters.some(({ state }) => state === 'handled');
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const focus = (/** @type {string} */ id) => document.getElementById(id)?.focus();
  useEffect(() => {
    element.current?.showModal();
    // One that fails may be replayed without a thought.
    const isHarmless = count === 1 && !isDiscard && !repeats;
    focus(isHarmless ? 'change-confirm' : 'change-cancel');
  }, []);
  const close = () => element.current?.close();
  const forget = () => {
    change.isStopped = true;
    asked = undefined;
    redraw();
    keepFocus();
  };
  const start = (/** @type {any} */ event) => {
    event.preventDefault();
    if (change.changed !== undefined) return;
    const given = new FormData(event.currentTarget);
    if (given.has('operator')) receiver.setOperator(String(given.get('operator')).trim());
    void carryOut(change, String(given.get('reason')).trim()).then(close);
    focus('change-cancel');
  };
  return html`<dialog ref=${element} aria-labelledby="change-title" onClose=${forget}>
    <form class="stack" onSubmit=${start}>
      <h2 id="change-title">${verb} ${what}?</h2>
      <p>Receiver: <strong>${page.about?.name}</strong></p>
      ${signedIn && html`<p>You: <strong>${own(signedIn)}</strong></p>`}
      ${
        isDiscard
          ? html`<p>
              <strong>This can't be undone.</strong> The header fields and the content are deleted for good.
              The error and your reason are kept.
            </p>`
          : filters.length > 0 &&
            html`<p>
              The handler gets ${count === 1 ? 'it' : 'them'} again, with all attempts. ${' '}
              ${repeats && html`<strong>What it has handled, it handles again.</strong>`}
            </p>`
      }
      ${note && html`<p class="note">${note}</p>`}
      ${
        !signedIn &&
        html`<label>
          Your name
          <input
            name="operator"
            maxlength="200"
            defaultValue=${receiver.operator()}
            readonly=${changed !== undefined}
          />
        </label>`
      }
      <label>
        Reason${isDiscard ? ', kept with the delivery' : ''}
        <input
          name="reason"
          required=${isDiscard}
          pattern=".*\\S.*"
          maxlength="1000"
          autocomplete="off"
          readonly=${changed !== undefined}
        />
      </label>
      ${
        changed !== undefined &&
        html`<progress max=${count} value=${changed} aria-labelledby="change-done"></progress>
          <p id="change-done" role="status">${words.count(changed)} ${done}</p>`
      }
      <p class="row">
        <button id="change-cancel" class="end" type="button" onClick=${close}>
          ${changed === undefined ? 'Cancel' : 'Stop'}
        </button>
        ${
          changed === undefined &&
          html`<button id="change-confirm" class=${isDiscard ? 'primary bad' : 'primary'}>
            ${verb}${count > 1 ? ` ${words.count(count)}` : ''}
          </button>`
        }
      </p>
    </form>
  </dialog>`;
}

/** @param {Change} change @param {string} reason */
async function carryOut(change, reason) {
  const { action, filters, count } = change;
  if (action === 'pause' || action === 'resume')
    return quietly(async () => {
      change.changed = 0;
      await receiver.actOnHandler(action, reason || undefined);
      say(WORDS[action].done);
    });
  let changed = 0;
  let act = /** @type {number | undefined} */ (undefined);
  let failure = '';
  try {
    for (const filter of filters) {
      let after = /** @type {number | null} */ (0);
      while (after !== null && !change.isStopped) {
        change.changed = changed;
        redraw();
        const batch = { filter, after, limit: LIMIT };
        const result = await receiver.change(action, batch, { act, reason: reason || undefined });
        act = result.act;
        changed += result.changed;
        after = changed >= count ? null : result.next;
      }
    }
    if (change.isStopped && changed < count) failure = ' Then it was stopped.';
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    failure = ` Then it failed: ${error.message}`;
  }
  const number = changed === 0 ? 'No delivery' : words.deliveries(changed);
  const said = `${number} ${changed > 1 ? 'were' : 'was'} ${WORDS[action].done}.${failure}`;
  say(said);
  if (action === 'replay' && changed > 0 && act !== undefined)
    void quietly(follow.bind(undefined, act, said));
}

/** Says what becomes of a replay, until each delivery has had an attempt, or the message is gone: nothing has changed since. */
async function follow(/** @type {number} */ act, /** @type {string} */ said) {
  for (let last = said; message.text === last;) {
    const followed = await receiver.act(act);
    if (message.text !== last) return;
    const text = `${said} ${outcomeText(followed)}`;
    if (text !== last) say((last = text));
    if (outcomeOf(followed).waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL));
  }
}
