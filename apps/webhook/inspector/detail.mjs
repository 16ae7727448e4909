/**
 * The details of one delivery: what happened to it, and what was sent.
 *
 * @import { FailedAttempt } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 * @import { Delivery } from './receiver.mjs'
 */
import { changeOf, confirmChange, replayOne } from './change.mjs';
import { Content } from './content-view.mjs';
import { curlOf, visible } from './content.mjs';
import { addressOf, stateOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Button, copy, html, redraw, State } from './ui.mjs';
import * as words from './words.mjs';

/**
 * - `id`: of the delivery that was asked for last
 * - `delivery`: undefined until the receiver has responded
 * - `fault`: why there is none
 */
export const detail = {
  id: /** @type {number | undefined} */ (undefined),
  delivery: /** @type {Delivery | undefined} */ (undefined),
  content: new Uint8Array(),
  fault: '',
  isRetried: false,
};

/** @param {number | undefined} id undefined for none */
export async function showDetail(id) {
  if (id !== detail.id) Object.assign(detail, { id, delivery: undefined, fault: '', isRetried: false });
  redraw();
  if (id === undefined) return;
  try {
    const delivery = await receiver.show(id);
    // Somebody may have gone on meanwhile.
    if (detail.id !== id) return;
    const isSame =
      delivery.receivedAt === detail.delivery?.receivedAt && delivery.content === detail.delivery.content;
    const content = isSame ? detail.content : bytesOf(delivery.content);
    Object.assign(detail, { delivery, content, fault: '', isRetried: false });
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    if (detail.id !== id) return;
    const isRetried = error.code === 'UNREACHABLE';
    if (isRetried && detail.delivery !== undefined) return;
    const fault =
      detail.delivery === undefined
        ? error.message
        : 'The receiver has deleted this delivery, because of its age.';
    Object.assign(detail, { fault, isRetried, delivery: isRetried ? detail.delivery : undefined });
  }
  const section = document.querySelector('#detail');
  const hadFocus = section?.contains(document.activeElement);
  redraw();
  // The button that had the focus may be gone.
  if (hadFocus && document.activeElement === document.body) document.getElementById('delivery')?.focus();
}

/** Shows what has changed of the delivery. What was sent stays as it is, also where somebody has scrolled in it. */
export async function refreshDetail() {
  const { id, delivery, isRetried } = detail;
  if (id === undefined || (delivery === undefined && !isRetried)) return;
  if (delivery === undefined) return showDetail(id);
  const [now] = await receiver.list({ firstId: id, lastId: id }, { order: 'newest', limit: 1 });
  if (detail.delivery !== delivery) return;
  const isChanged = Object.entries(now ?? { id: 0 }).some(
    ([name, value]) => /** @type {any} */ (delivery)[name] !== value,
  );
  if (isChanged) await showDetail(id);
}

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** @param {{ place: Place, url: string | null | undefined }} shown */
export function Detail({ place, url }) {
  const { id, delivery, content, fault } = detail;
  return html`<section id="detail" aria-labelledby="delivery">
    <div class="heading">
      <h2 id="delivery" tabindex="-1">Delivery ${id}</h2>
      ${delivery && html`<${State} name=${stateOf(delivery)} />`}
      <a class="button quiet" id="close" href=${addressOf({ ...place, delivery: undefined })}>Close</a>
    </div>
    ${
      delivery
        ? html`<${Actions} ...${{ delivery, content, url }} />
            <${Timeline} delivery=${delivery} />
            ${
              delivery.state === 'discarded'
                ? html`<p class="note">
                    The header fields and the content were deleted when the delivery was discarded.
                  </p>`
                : html`<${Content} key=${`${id} ${delivery.receivedAt}`} ...${{ id, content }} />
                    <${Fields} delivery=${delivery} />`
            }`
        : html`<p>${fault || 'Loading…'}</p>`
    }
  </section>`;
}

/** @param {{ delivery: Delivery, content: Uint8Array, url: string | null | undefined }} shown */
function Actions({ delivery, content, url }) {
  const { id, state } = delivery;
  if (state === 'discarded') return '';
  const curl = () => {
    const from = new URL(receiver.contentAddress(id), location.href).href;
    void copy(curlOf({ ...delivery, content }, url ?? 'URL', from), 'The command was');
  };
  const isAble = state !== 'running' && stateOf(delivery) !== 'waiting';
  return html`<p class="row">
    ${isAble && html`<${Button} kind="primary" act=${() => replayOne(delivery)}>${state === 'handled' ? 'Replay…' : 'Replay'}<//>`}
    ${
      state === 'parked' &&
      html`<${Button} kind="danger" act=${() => confirmChange(changeOf('discard', delivery))}>Discard…<//>`
    }
    <${Button} act=${curl} title="A command that sends it again. Set ACCESS_TOKEN.">Copy curl<//>
  </p>`;
}

/** @typedef {{ at: number | null, kind: string, what: any, attempt?: FailedAttempt }} Event */

/** What happened, in its order. @param {Delivery} delivery @returns {Event[]} */
function eventsOf(delivery) {
  const { receivedAt, startedAt, endedAt, dueAt, replayedAt, attempts, history, reason } = delivery;
  const { method, mediaType, contentEncoding, eventId, bytes } = delivery;
  const sent = [method, mediaType ?? 'no media type', contentEncoding, words.size(bytes)];
  const event = eventId === null ? [] : [`event ${eventId}`];
  const number = attempts > 1 ? `attempt ${attempts} ` : '';
  /** @type {Event[]} */
  const past = [
    {
      ...{ at: receivedAt, kind: 'good' },
      what: `received: ${visible([...sent, ...event].filter((part) => part !== null).join(' · '))}`,
    },
    ...history.map((attempt) => ({ at: attempt.startedAt, kind: 'bad', what: '', attempt })),
    ...(replayedAt === null ? [] : [{ at: replayedAt, kind: '', what: 'replayed by an operator' }]),
  ];
  past.sort((one, other) => Number(one.at) - Number(other.at));
  const took = startedAt === null || endedAt === null ? '' : ` in ${words.duration(endedAt - startedAt)}`;
  /** @type {Record<ReturnType<typeof stateOf>, Event>} */
  const now = {
    waiting: { at: null, kind: 'open', what: 'waits for the handler' },
    retrying: { at: dueAt, kind: 'open', what: `attempt ${attempts + 1} begins` },
    running: { at: startedAt, kind: 'open', what: `attempt ${attempts} began, and the handler has it` },
    handled: { at: endedAt, kind: 'good', what: `${number}handled${took}` },
    parked: {
      at: endedAt,
      kind: 'bad',
      what: `parked after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`,
    },
    discarded: { at: null, kind: '', what: `discarded: ${visible(reason ?? '')}` },
  };
  return [...past, now[stateOf(delivery)]];
}

/** @param {{ delivery: Delivery }} shown */
const Timeline = ({ delivery }) =>
  html`<ol class="timeline" aria-label="What happened">
    ${eventsOf(delivery).map(
      ({ at, kind, what, attempt }) =>
        html`<li class=${kind}>
          ${
            at !== null &&
            html`<time datetime=${new Date(at).toISOString()} title=${words.time(at)}
              >${words.preciseTime(at)}</time
            >`
          }
          ${attempt ? html`<${Attempt} ...${attempt} />` : html`<span>${what}</span>`}
        </li>`,
    )}
  </ol>`;

/** @param {FailedAttempt} attempt */
function Attempt({ number, duration, error, stack, receiver }) {
  const took = duration === null ? 'ended with its process' : words.duration(duration);
  const text = html`attempt ${number} · ${took} · <code>${visible(error)}</code>`;
  return stack === null
    ? html`<span>${text}</span>`
    : html`<details>
        <summary>${text}</summary>
        <pre
          class="scroll"
          tabindex="0"
          role="region"
          aria-label=${`Stack of attempt ${number}`}
        ><code>${visible(stack)}</code></pre>
        <p class="note">by ${receiver}</p>
      </details>`;
}

/** @param {{ delivery: Delivery }} shown */
const Fields = ({ delivery: { fields } }) =>
  html`<details class="fields">
    <summary>${fields.length === 1 ? '1 header field' : `${fields.length} header fields`}</summary>
    <p class="note">Credentials, and fields of the connection, are never stored.</p>
    <table>
      <caption class="unseen">
        Header fields
      </caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map(
          ([name, value]) =>
            html`<tr>
              <th scope="row">${visible(name)}</th>
              <td>${visible(value)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`;
