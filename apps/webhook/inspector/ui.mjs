/** What all parts of the page are drawn with. Text becomes text, never HTML: the policy of the page forbids that, too. */
import htm from 'htm';
import { h } from 'preact';

import * as words from './words.mjs';

/** Makes elements of a template. The types of htm are those of its other format. @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = /** @type {any} */ (htm).bind(h);

let draw = () => {};

/** Says how the page is drawn. */
export const onRedraw = (/** @type {() => void} */ how) => void (draw = how);

/** Draws the page at once, as the state of its parts is now. */
export const redraw = () => draw();

/** What became of the last action, for a while. */
export const message = { text: '' };

/** @type {ReturnType<typeof setTimeout> | undefined} */
let clearing;

/** Says what became of an action: for a while, and to a screen reader. */
export function say(/** @type {string} */ text) {
  clearTimeout(clearing);
  message.text = text;
  redraw();
  if (text !== '') clearing = setTimeout(() => say(''), 10_000);
}

/** Copies a text, and says so. */
export const copy = (/** @type {string} */ text, /** @type {string} */ what) =>
  navigator.clipboard.writeText(text).then(
    () => say(`${what} copied.`),
    () => say("The browser doesn't let this page copy."),
  );

/** A button that acts once for a double click: nobody means to act twice. */
export const Button = (/** @type {any} */ { act, kind = '', children, ...others }) =>
  html`<button
    type="button"
    class=${kind}
    onClick=${(/** @type {MouseEvent} */ { detail }) => detail > 1 || act()}
    ...${others}
  >
    ${children}
  </button>`;

/** How long ago something was. Its title has the time. */
export const Ago = (/** @type {{ at: number }} */ { at }) =>
  html`<time datetime=${new Date(at).toISOString()} title=${words.time(at)}>${words.ago(at)}</time>`;

/** The state of a delivery, as the page names it. */
export const State = (/** @type {{ name: string }} */ { name }) =>
  html`<span class=${`state ${name}`}>${name}</span>`;
