/**
 * The details of one delivery: what happened to it, and what was sent.
 *
 * @import { Act, DeliveryState, FailedAttempt } from '../src/inbox/inbox-operations.js'
 * @import { Action } from './change.mjs'
 * @import { Delivery } from './receiver.mjs'
 */
import { gapText, runsOf } from '../src/inbox/in-words.js';
import { whatOf } from './acts.mjs';
import { Changes, confirmSome } from './change.mjs';
import { Content } from './content-view.mjs';
import { bytesOf, curlOf, visible } from './content.mjs';
import { keepFocus, page, quietly } from './page.mjs';
import { listAddressOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Button, copy, cut, html, Long, redraw, Scroll, State, Table, Time } from './ui.mjs';
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
    ([name, value]) => name in delivery && /** @type {any} */ (delivery)[name] !== value,
  );
  if (isChanged) await readDetail();
}

export function Detail() {
  const { place } = page;
  const { delivery, fault } = detail;
  return html`<section id="detail" class="card" aria-labelledby="delivery">
    <div class="head row">
      <h2 id="delivery" tabindex="-1"><span class="word">Delivery </span>${place.delivery}</h2>
      ${
        delivery &&
        html`<${State} name=${delivery.state} />
          <${Changes}
            states=${[delivery.state]}
            kind=${delivery.state === 'handled' ? '' : 'primary'}
            act=${(/** @type {Action} */ action) => confirmSome(action, [delivery])}
          />`
      }
      <a class="button end" href=${listAddressOf(place)}>Close</a>
    </div>
    ${delivery ? html`<${Sent} delivery=${delivery} />` : html`<p>${fault?.message ?? 'Loading…'}</p>`}
  </section>`;
}

/** @param {{ delivery: Delivery }} shown */
function Sent({ delivery }) {
  const { id, receivedAt, content, fields, state } = delivery;
  const curl = () =>
    quietly(async () => {
      const from = new URL(receiver.contentAddress(id), location.href).href;
      const sent = { ...(await receiver.stored(id)), content: bytesOf(content) };
      await copy(curlOf(sent, page.about?.url ?? 'URL', from), 'The command was');
    });
  return html`<div class="stack" key=${`${id} ${receivedAt}`}>
    <${Facts} delivery=${delivery} />
    <${Timeline} delivery=${delivery} />
    ${
      state === 'discarded'
        ? html`<p class="note">
            The header fields and the content were deleted when the delivery was discarded.
          </p>`
        : html`<${Content} id=${id} base64=${content} />
            <details>
              <summary>${fields.length === 1 ? '1 header field' : `${fields.length} header fields`}</summary>
              <p class="note">Credentials, and fields of the connection, are never stored.</p>
              <${Table}
                caption="Header fields"
                columns=${[{ title: 'Name', isName: true }, { title: 'Value' }]}
                rows=${fields.map((field) => field.map(visible))}
              />
            </details>
            <p>
              <${Button} act=${curl} title="A command that sends it again. Set ACCESS_TOKEN.">Copy curl<//>
            </p>`
    }
  </div>`;
}

/** @param {{ delivery: Delivery }} shown */
function Facts({ delivery }) {
  const { key, receivedAt, method, mediaType, contentEncoding, eventId, bytes, attempts } = delivery;
  const facts = Object.entries({
    Received: html`<${Time} at=${receivedAt} as=${words.time} />`,
    Attempts: words.count(attempts),
    Method: method,
    Size: words.size(bytes),
    'Media type': visible(mediaType || 'none'),
    Encoding: contentEncoding && visible(contentEncoding),
    Event: eventId && visible(eventId),
    Key: key,
  });
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        value &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/**
 * `attempts`: those that failed alike, one after the other. `gap`: what is not kept of those before them.
 *
 * @typedef {{ at: number | null, kind: string, what: any, attempts?: FailedAttempt[], gap?: string }} Event
 */

/** What happened, in its order. @param {Delivery} delivery @returns {Event[]} */
function eventsOf(delivery) {
  const { receivedAt, startedAt, endedAt, dueAt, replayedAt, attempts, history, reason, act } = delivery;
  // The last event says it. Only an act on several deliveries has more to say: of how many.
  const discard = act?.kind === 'discard' && act.changed === 1 ? act : undefined;
  const isReplay = act?.kind === 'replay';
  const number = attempts > 1 ? `attempt ${attempts} ` : '';
  /** @type {Event[]} */
  const past = [
    { at: receivedAt, kind: 'good', what: 'received' },
    ...runsOf(history).map((attempts, index, runs) => ({
      at: attempts[0]?.startedAt ?? null,
      kind: 'bad',
      what: '',
      attempts,
      gap: gapText(runs[index - 1]?.at(-1), attempts[0]),
    })),
    ...(act === null || discard
      ? []
      : [{ at: isReplay ? replayedAt : act.at, kind: '', what: actText(act) }]),
    ...(replayedAt === null || isReplay
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
    discarded: {
      at: endedAt,
      kind: '',
      what: discard?.operator
        ? cut`discarded by ${discard.operator}: ${reason ?? ''}`
        : cut`discarded: ${reason ?? ''}`,
    },
  };
  return [...past, now[delivery.state]];
}

/** An act, such as `replay of 12 deliveries by ada@example: the database is back`. @param {Act} act */
function actText(act) {
  const start = `${whatOf(act)} by `;
  const by = act.operator ?? 'an operator';
  return act.reason === null ? cut`${start}${by}` : cut`${start}${by}: ${act.reason}`;
}

/** @param {{ delivery: Delivery }} shown */
function Timeline({ delivery }) {
  const events = eventsOf(delivery);
  const last = ['parked', 'retrying'].includes(delivery.state) && events.findLast(({ attempts }) => attempts);
  return html`<ol class="timeline" aria-label="What happened">
    ${events.map(
      (event) =>
        html`${event.gap && html`<li class="dot note"><span>${event.gap}</span></li>`}
          <li class=${`dot ${event.kind}`}>
            ${event.at !== null && html`<${Time} at=${event.at} as=${words.preciseTime} />`}
            ${
              event.attempts
                ? html`<${Attempts} attempts=${event.attempts} isOpen=${event === last} />`
                : html`<span>${event.what}</span>`
            }
          </li>`,
    )}
  </ol>`;
}

/** Attempts that failed alike, with the stack of the last. @param {{ attempts: readonly FailedAttempt[], isOpen: boolean }} shown */
function Attempts({ attempts, isOpen }) {
  const [first] = attempts;
  const { number, duration, error, stack, receiver } = /** @type {FailedAttempt} */ (attempts.at(-1));
  const took = duration === null ? 'ended with its process' : words.duration(duration);
  const which =
    attempts.length > 1
      ? `attempts ${first?.number} to ${number}, the same error`
      : `attempt ${number} · ${took}`;
  const text = html`${which} · <code>${visible(error)}</code>`;
  return html`<${Long} text=${text} isOpen=${isOpen}>
    <${Scroll} label=${`Stack of attempt ${number}`}>${visible(stack ?? error)}<//>
    <p class="note">by ${receiver}</p>
  <//>`;
}
