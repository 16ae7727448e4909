/**
 * What operators do: replay or discard one delivery, some, or all that a place lists, pause or resume the handler. The
 * page asks before, for a name and a reason too. The receiver does it, and the page says how far it is.
 *
 * @import { Act, ChangeKind, DeliveryFilter, DeliveryState, DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 */
import { useEffect, useRef } from 'preact/hooks';

import { changedText, outcomeText } from '../src/inbox/in-words.js';
import { isGone, keepFocus, page, quietly } from './page.mjs';
import { filterOf, limitsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Button, html, message, own, redraw, say } from './ui.mjs';
import * as words from './words.mjs';

/** How often an act is looked at, in milliseconds. */
const LOOK_INTERVAL = 1_000;

/**
 * @typedef {ChangeKind} Action
 *
 * @typedef {object} Change
 * @property {Action | 'pause' | 'resume'} action
 * @property {string} what in words, such as `delivery 7` or `12 parked deliveries`
 * @property {number} count
 * @property {readonly DeliveryState[]} states those that are meant; none if the handler is
 * @property {DeliveryFilter} filter
 * @property {string} [note] what is left out
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
    const [newest] = await receiver.list({}, { order: 'newest', limit: 1 });
    // What arrives from now on isn't part of it.
    const filter = { ...filterOf(place), state: states, lastId: newest?.id ?? 1 };
    const counts = await receiver.counts(filter);
    const some = states.filter((state) => counts[state] > 0);
    const limits = limitsOf(place).map((limit) => limit.words);
    const scope = [place.state, 'deliveries', ...limits].filter(Boolean).join(' ');
    if (some.length === 0) return say(`There are no ${scope} to ${action}.`);
    const texts = some.map((state) => `${words.count(counts[state])} ${state}`);
    confirmChange({
      action,
      what: [texts.join(' and '), nounOf(counts[some.at(-1) ?? 'parked']), ...limits].join(' '),
      count: some.reduce((sum, state) => sum + counts[state], 0),
      states: some,
      filter,
      note: place.state === undefined ? WORDS[action].leftOut : '',
    });
  });

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
    states,
    // As long as they have such a state.
    filter: { state: states, ids: able.map(({ id }) => id) },
    note: left === 0 ? '' : `${words.deliveries(left)} of the selection cannot be ${done}.`,
  });
}

/** @param {'pause' | 'resume'} action */
export const confirmHandler = (action) =>
  confirmChange({ action, what: 'the handler', count: 1, states: [], filter: {} });

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
  const { action, what, count, states, note } = change;
  const { verb } = WORDS[action];
  const signedIn = page.about?.operator;
  const isDiscard = action === 'discard';
  const repeats = states.includes('handled');
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
    asked = undefined;
    redraw();
    keepFocus();
  };
  const start = (/** @type {any} */ event) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    if (given.has('operator')) receiver.setOperator(String(given.get('operator')).trim());
    void quietly(() => carryOut(change, String(given.get('reason')).trim() || undefined));
    close();
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
          : states.length > 0 &&
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
          <input name="operator" maxlength="200" defaultValue=${receiver.operator()} />
        </label>`
      }
      <label>
        Reason${isDiscard ? ', kept with the delivery' : ''}
        <input name="reason" required=${isDiscard} pattern=".*\\S.*" maxlength="1000" autocomplete="off" />
      </label>
      <p class="row">
        <button id="change-cancel" class="end" type="button" onClick=${close}>Cancel</button>
        <button id="change-confirm" class=${isDiscard ? 'primary bad' : 'primary'}>
          ${verb}${count > 1 ? ` ${words.count(count)}` : ''}
        </button>
      </p>
    </form>
  </dialog>`;
}

/** @param {Change} change @param {string | undefined} reason */
async function carryOut({ action, filter }, reason) {
  if (action === 'replay' || action === 'discard')
    return follow(await receiver.change(action, filter, reason));
  await receiver.actOnHandler(action, reason);
  say(WORDS[action].done);
}

/** Says how far an act is, and what becomes of a replay, until each delivery has had an attempt, or the message is gone. */
async function follow(/** @type {Act} */ act) {
  let last = progressOf(act);
  say(last);
  while (message.text === last && (act.endedAt === null || act.waiting > 0)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL));
    act = await receiver.act(act.id);
    const text = progressOf(act);
    if (message.text === last && text !== last) say((last = text));
  }
}

/** @param {Act} act */
function progressOf(act) {
  const { kind, changed, endedAt } = act;
  const { done } = WORDS[kind];
  if (endedAt === null) return `${changedText(act)} deliveries are ${done}.`;
  if (changed === 0) return `No delivery was ${done}.`;
  const said = `${words.deliveries(changed)} ${changed === 1 ? 'was' : 'were'} ${done}.`;
  return kind === 'replay' ? `${said} ${outcomeText(act)}` : said;
}
