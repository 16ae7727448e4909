/**
 * The details of one delivery: what happened to it, and what was sent.
 *
 * @import { Act, DeliveryState, FailedAttempt } from '../src/inbox/inbox-operations.js'
 * @import { Delivery } from './receiver.mjs'
 */
import { whatOf } from './acts.mjs';
import { changeOf, confirmChange, isAble, replayOne } from './change.mjs';
import { Content } from './content-view.mjs';
import { bytesOf, curlOf, visible } from './content.mjs';
import { keepFocus, page } from './page.mjs';
import { listAddressOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Button, copy, html, redraw, Scroll, State, Table, Time } from './ui.mjs';
import * as words from './words.mjs';

/** The delivery of the place: undefined until the receiver has responded. `fault` says why there is none. */
export const detail = {
  delivery: /** @type {Delivery | undefined} */ (undefined),
  fault: /** @type {receiver.RequestError | undefined} */ (undefined),
};

/** Shows the delivery of the place. */
export async function showDetail() {
  Object.assign(detail, { delivery: undefined, fault: undefined });
  redraw();
  await readDetail();
}

async function readDetail() {
  const { delivery: id } = page.place;
  if (id === undefined) return;
  const found = await receiver.show(id).catch((error) => {
    if (error instanceof receiver.RequestError) return error;
    throw error;
  });
  // Somebody may have gone on meanwhile.
  if (page.place.delivery !== id) return;
  if (!(found instanceof receiver.RequestError)) Object.assign(detail, { delivery: found, fault: undefined });
  else if (detail.delivery === undefined) detail.fault = found;
  else if (found.code !== 'UNREACHABLE') {
    const message = 'The receiver has deleted this delivery, because of its age.';
    Object.assign(detail, { delivery: undefined, fault: new receiver.RequestError(found.code, message) });
  }
  const hadFocus = document.querySelector('#detail')?.contains(document.activeElement);
  redraw();
  if (hadFocus) keepFocus();
}

/** Shows what has changed of the delivery. Its content may be long, and is asked for only then. */
export async function refreshDetail() {
  const { delivery, fault } = detail;
  if (delivery === undefined) return fault?.code === 'UNREACHABLE' ? readDetail() : undefined;
  const { id } = delivery;
  const [now] = await receiver.list({ firstId: id, lastId: id }, { order: 'newest', limit: 1 });
  if (detail.delivery !== delivery) return;
  const isChanged = Object.entries(now ?? { id: 0 }).some(
    ([name, value]) => /** @type {any} */ (delivery)[name] !== value,
  );
  if (isChanged) await readDetail();
}

export function Detail() {
  const { place } = page;
  const { delivery, fault } = detail;
  return html`<section id="detail" class="card stack" aria-labelledby="delivery">
    <div class="row">
      <h2 id="delivery" tabindex="-1">Delivery ${place.delivery}</h2>
      ${delivery && html`<${State} name=${delivery.state} />`}
      <a class="button end" href=${listAddressOf(place)}>Close</a>
    </div>
    ${delivery ? html`<${Sent} delivery=${delivery} />` : html`<p>${fault?.message ?? 'Loading…'}</p>`}
  </section>`;
}

/** @param {{ delivery: Delivery }} shown */
function Sent({ delivery }) {
  const { id, receivedAt, content, fields, state } = delivery;
  if (state === 'discarded')
    return html`<${Timeline} delivery=${delivery} />
      <p class="note">The header fields and the content were deleted when the delivery was discarded.</p>`;
  return html`<${Actions} delivery=${delivery} />
    <${Timeline} delivery=${delivery} />
    <${Content} key=${`${id} ${receivedAt}`} id=${id} base64=${content} />
    <details>
      <summary>${fields.length === 1 ? '1 header field' : `${fields.length} header fields`}</summary>
      <p class="note">Credentials, and fields of the connection, are never stored.</p>
      <${Table}
        caption="Header fields"
        columns=${[{ title: 'Name', isName: true }, { title: 'Value' }]}
        rows=${fields.map((field) => field.map(visible))}
      />
    </details>`;
}

/** @param {{ delivery: Delivery }} shown */
function Actions({ delivery }) {
  const { id, state } = delivery;
  const curl = () => {
    const from = new URL(receiver.contentAddress(id), location.href).href;
    const sent = { ...delivery, content: bytesOf(delivery.content) };
    void copy(curlOf(sent, page.about?.url ?? 'URL', from), 'The command was');
  };
  return html`<p class="row">
    ${
      isAble('replay', state) &&
      html`<${Button} kind="primary" act=${() => replayOne(delivery)}>Replay${state === 'handled' && '…'}<//>`
    }
    ${
      state === 'parked' &&
      html`<${Button} kind="bad" act=${() => confirmChange(changeOf('discard', delivery))}>Discard…<//>`
    }
    <${Button} act=${curl} title="A command that sends it again. Set ACCESS_TOKEN.">Copy curl<//>
  </p>`;
}

/** @typedef {{ at: number | null, kind: string, what: any, attempt?: FailedAttempt }} Event */

/** What happened, in its order. @param {Delivery} delivery @returns {Event[]} */
function eventsOf(delivery) {
  const { receivedAt, startedAt, endedAt, dueAt, replayedAt, attempts, history, reason, acts } = delivery;
  const { method, mediaType, contentEncoding, eventId, bytes } = delivery;
  const sent = [method, mediaType ?? 'no media type', contentEncoding, words.size(bytes)];
  const event = eventId === null ? [] : [`event ${eventId}`];
  const lastReplay = acts.findLast(({ kind }) => kind === 'replay');
  const number = attempts > 1 ? `attempt ${attempts} ` : '';
  /** @type {Event[]} */
  const past = [
    {
      at: receivedAt,
      kind: 'good',
      what: `received: ${visible([...sent, ...event].filter((part) => part !== null).join(' · '))}`,
    },
    ...history.map((attempt) => ({ at: attempt.startedAt, kind: 'bad', what: '', attempt })),
    ...acts.map((act) => ({ at: act === lastReplay ? replayedAt : act.at, kind: '', what: actText(act) })),
    // A receiver of an earlier version stores no act.
    ...(replayedAt === null || lastReplay
      ? []
      : [{ at: replayedAt, kind: '', what: 'replayed by an operator' }]),
  ];
  past.sort((one, other) => Number(one.at) - Number(other.at));
  const took = startedAt === null || endedAt === null ? '' : ` in ${words.duration(endedAt - startedAt)}`;
  /** @type {Record<DeliveryState, Event>} */
  const now = {
    waiting: { at: null, kind: 'open', what: 'waits for the handler' },
    retrying: {
      at: null,
      kind: 'open',
      what: `attempt ${attempts + 1} begins ${words.due(dueAt ?? 0, page.stats?.isPaused)}`,
    },
    running: { at: startedAt, kind: 'open', what: `attempt ${attempts} began, and the handler has it` },
    handled: { at: endedAt, kind: 'good', what: `${number}handled${took}` },
    parked: {
      at: endedAt,
      kind: 'bad',
      what: `parked after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`,
    },
    discarded: { at: endedAt, kind: '', what: `discarded: ${visible(reason ?? '')}` },
  };
  return [...past, now[delivery.state]];
}

/** An act, such as `replay of 12 deliveries by ada@example: the database is back`. @param {Act} act */
function actText(act) {
  const by = act.operator === null ? 'an operator' : act.operator;
  return visible(`${whatOf(act)} by ${by}${act.reason === null ? '' : `: ${act.reason}`}`);
}

/** @param {{ delivery: Delivery }} shown */
const Timeline = ({ delivery }) =>
  html`<ol class="timeline" aria-label="What happened">
    ${eventsOf(delivery).map(
      ({ at, kind, what, attempt }) =>
        html`<li class=${`dot ${kind}`}>
          ${at !== null && html`<${Time} at=${at} as=${words.preciseTime} />`}
          ${attempt ? html`<${Attempt} ...${attempt} />` : html`<span>${what}</span>`}
        </li>`,
    )}
  </ol>`;

/** @param {FailedAttempt} attempt */
function Attempt({ number, duration, error, stack, receiver }) {
  const took = duration === null ? 'ended with its process' : words.duration(duration);
  const text = html`attempt ${number} · ${took} · <code>${visible(error)}</code>`;
  if (stack === null) return html`<span>${text}</span>`;
  return html`<details>
    <summary>${text}</summary>
    <${Scroll} label=${`Stack of attempt ${number}`}>${visible(stack)}<//>
    <p class="note">by ${receiver}</p>
  </details>`;
}
