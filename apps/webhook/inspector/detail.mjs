/**
 * The details of one delivery. Everything that was sent is shown as text.
 *
 * @import { DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Form } from './content.mjs'
 * @import { Delivery } from './receiver.mjs'
 */
import { confirmChange, replayNow } from './change.mjs';
import { formsOf, showAs, visible } from './content.mjs';
import { find, make } from './page.mjs';
import * as receiver from './receiver.mjs';
import * as words from './words.mjs';

const section = find('detail', HTMLElement);

/** @type {number | undefined} */
let wanted;
/** @type {Delivery | undefined} */
let shown;
/** Shows it again, if the receiver hasn't responded. @type {(() => Promise<void>) | undefined} */
let retry;

/**
 * @param {number} id
 * @param {string} closeAddress
 */
export async function showDetail(id, closeAddress) {
  const hadFocus = section.contains(document.activeElement);
  const parts = (/** @type {Node[]} */ ...others) =>
    section.replaceChildren(heading(id, closeAddress), ...others);
  wanted = id;
  shown = undefined;
  retry = undefined;
  parts(make('p', {}, 'Loading…'));
  section.hidden = false;
  document.body.classList.add('has-detail');
  try {
    const delivery = await receiver.show(id);
    // Somebody may have gone on meanwhile.
    if (wanted !== id) return;
    shown = delivery;
    parts(summary(delivery), sent(delivery));
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    if (wanted !== id) return;
    parts(make('p', {}, error.message));
    if (error.code === 'UNREACHABLE') retry = () => showDetail(id, closeAddress);
  }
  if (hadFocus) focusDetail();
}

export function hideDetail() {
  wanted = undefined;
  shown = undefined;
  retry = undefined;
  section.hidden = true;
  section.replaceChildren();
  document.body.classList.remove('has-detail');
}

/** Moves the focus to the heading. */
export const focusDetail = () => find('delivery', HTMLElement).focus();

/** Shows what has changed of the delivery. What was sent stays as it is, also where somebody has scrolled in it. */
export async function refreshDetail() {
  const before = shown;
  if (before === undefined) return retry?.();
  const [now] = await receiver.list({ firstId: before.id, lastId: before.id }, { order: 'newest', limit: 1 });
  if (shown !== before) return;
  const { fields, content, ...known } = before;
  if (JSON.stringify(now) === JSON.stringify(known)) return;
  // The receiver has another inbox now.
  if (now !== undefined && now.receivedAt !== before.receivedAt)
    return showDetail(now.id, find('close', HTMLAnchorElement).getAttribute('href') ?? '?');
  const hadFocus = section.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  if (now === undefined) {
    shown = undefined;
    replaceSummary(make('p', {}, 'The receiver has deleted this delivery, because of its age.'));
  } else {
    shown = { ...now, fields, content };
    replaceSummary(summary(now));
    if (now.state === 'discarded') section.querySelector('.parts')?.replaceWith(sent(shown));
  }
  if (hadFocus === undefined || section.contains(document.activeElement)) return;
  // The button is another one now, or gone.
  const buttons = [...section.querySelectorAll('button')];
  (buttons.find(({ textContent }) => textContent === hadFocus) ?? find('delivery', HTMLElement)).focus();
}

/** @param {Node} now */
const replaceSummary = (now) => section.querySelector('.summary')?.replaceWith(now);

/**
 * @param {number} id
 * @param {string} closeAddress
 */
function heading(id, closeAddress) {
  return make(
    'div',
    { className: 'row' },
    make('h2', { id: 'delivery', tabIndex: -1 }, `Delivery ${id}`),
    make('a', { id: 'close', className: 'button', href: closeAddress }, 'Close'),
  );
}

/** @param {DeliverySummary} delivery */
function summary(delivery) {
  const { id, state, receivedAt, attempts, dueAt, error, reason, bytes } = delivery;
  const { method, mediaType, contentEncoding, eventId } = delivery;
  /** @type {[string, string | Node | null][]} */
  const facts = [
    ['State', make('span', { className: `state ${state}` }, state)],
    [
      'Received',
      make('time', { dateTime: new Date(receivedAt).toISOString() }, words.preciseTime(receivedAt)),
    ],
    ['Attempts', attempts === 0 ? null : words.count(attempts)],
    ['Next attempt', dueAt === null ? null : words.time(dueAt)],
    ['Last error', error],
    ['Reason', reason],
    ['Method', method],
    ['Media type', mediaType],
    ['Content encoding', contentEncoding],
    ['Event', eventId],
    ['Size', bytes < 1000 ? words.size(bytes) : `${words.size(bytes)} (${words.count(bytes)} B)`],
  ];
  const list = make('dl');
  for (const [name, value] of facts)
    if (value !== null) {
      const shown = typeof value === 'string' ? visible(value) : value;
      list.append(make('div', {}, make('dt', {}, name), make('dd', { className: 'sent' }, shown)));
    }

  const only = { firstId: id, lastId: id };
  const what = `delivery ${id}`;
  const actions = make('p', { className: 'row' });
  if (state !== 'discarded')
    actions.append(
      button('Replay', () =>
        state === 'handled'
          ? confirmChange({ action: 'replay', what, filters: [{ ...only, state }] })
          : // It may have been handled since it was shown. Whoever replays that is asked first.
            replayNow({ what, filters: [{ ...only, state }] }),
      ),
    );
  if (state === 'parked')
    actions.append(
      button('Discard…', () => confirmChange({ action: 'discard', what, filters: [only] }), 'danger'),
    );
  return make('div', { className: 'summary' }, list, actions);
}

/** @param {Delivery} delivery */
function sent({ id, state, fields, content }) {
  if (state === 'discarded')
    return make('p', {}, 'The head and the content were deleted when the delivery was discarded.');
  const rows = fields.map(([name, value]) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, visible(name)),
      make('td', { className: 'sent' }, visible(value)),
    ),
  );
  const table = make(
    'table',
    {},
    make('caption', { className: 'unseen' }, 'Header fields'),
    make(
      'thead',
      {},
      make('tr', {}, make('th', { scope: 'col' }, 'Name'), make('th', { scope: 'col' }, 'Value')),
    ),
    make('tbody', {}, ...rows),
  );
  return make(
    'div',
    { className: 'parts' },
    make('h3', {}, 'Header fields'),
    make('p', { className: 'note' }, 'Credentials, and fields of the connection, are never stored.'),
    rows.length === 0 ? make('p', {}, 'None are stored.') : make('div', { className: 'scroll' }, table),
    make('h3', {}, 'Content'),
    ...contentParts(id, bytesOf(content)),
  );
}

/** @type {Record<Form, string>} */
const FORM_NAMES = { text: 'Text', json: 'JSON', hex: 'Hexadecimal' };

/**
 * @param {number} id
 * @param {Uint8Array} content
 */
function contentParts(id, content) {
  const text = make('code');
  const region = make(
    'pre',
    { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Content' },
    text,
  );
  const note = make('p', { className: 'note' });
  const show = (/** @type {Form} */ form) => {
    const shown = showAs(content, form, region.clientWidth < 600 ? 8 : 16);
    text.textContent = shown.text;
    region.classList.toggle('wraps', form !== 'hex');
    note.textContent = shown.isCut ? 'This is the start. The download has everything.' : '';
  };
  const forms = formsOf(content);
  const choices = forms.map((form, index) => {
    const input = make('input', { type: 'radio', name: 'form', checked: index === 0 });
    input.addEventListener('change', () => show(form));
    return make('label', {}, input, ` ${FORM_NAMES[form]}`);
  });
  // The width of the region is known once it is in the page.
  requestAnimationFrame(() => show(/** @type {Form} */ (forms[0])));
  return [
    make(
      'div',
      { className: 'row' },
      make('fieldset', {}, make('legend', { className: 'unseen' }, 'Show the content as'), ...choices),
      make(
        'a',
        { className: 'button', href: receiver.contentAddress(id), download: `delivery-${id}` },
        'Download',
      ),
    ),
    region,
    note,
  ];
}

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * @param {string} name
 * @param {() => void} act
 */
function button(name, act, className = '') {
  const made = make('button', { type: 'button', className }, name);
  // A double click is two clicks. Nobody means to act twice.
  made.addEventListener('click', ({ detail }) => detail > 1 || act());
  return made;
}
