/** The keys of the page: what they do, the dialog that lists them, and when they act. */
import { html } from './ui.mjs';

/** Those with a word are named at the foot of the page, too. */
const KEYS = [
  { keys: ['j', 'k'], does: 'the next or the previous delivery', word: 'move' },
  { keys: ['Enter'], does: 'open the delivery' },
  { keys: ['x'], does: 'select it', word: 'select' },
  { keys: ['r'], does: 'replay it, or what is selected', word: 'replay' },
  { keys: ['/'], does: 'search', word: 'search' },
  { keys: ['Escape'], does: 'close the delivery' },
  { keys: ['?'], does: 'these keys', word: 'all keys' },
];

const shown = (/** @type {string[]} */ keys) => keys.map((key) => html`<kbd>${key}</kbd> `);

export const KeysInBrief = () =>
  KEYS.map(({ keys, word }) => word && html`<span>${shown(keys)}${word}</span>`);

export const KeysDialog = () =>
  html`<dialog id="keys" aria-labelledby="keys-title">
    <form method="dialog" class="stack">
      <h2 id="keys-title">Keys</h2>
      <dl class="facts">
        ${KEYS.map(
          ({ keys, does }) =>
            html`<div>
              <dt>${shown(keys)}</dt>
              <dd>${does}</dd>
            </div>`,
        )}
      </dl>
      <p><button autofocus>Close</button></p>
    </form>
  </dialog>`;

export const showKeys = () => /** @type {HTMLDialogElement} */ (document.getElementById('keys')).showModal();

/** Acts on keys, unless somebody types or is asked something. @param {Readonly<Record<string, () => void>>} actions */
export function onKeys(actions) {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const action = Object.hasOwn(actions, key) ? actions[key] : undefined;
    const isTyping = target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type);
    const isAsked = document.querySelector('dialog[open]') !== null;
    if (action === undefined || isTyping || isAsked || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    action();
  });
}
