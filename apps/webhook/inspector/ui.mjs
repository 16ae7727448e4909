/** What all parts of the page are drawn with. Text becomes text, never HTML: the policy of the page forbids that, too. */
import htm from 'htm';
import { h } from 'preact';

import { visible } from './content.mjs';
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

/** A time. Its title has all of it. */
export const Time = (
  /** @type {{ at: number, as?: (at: number) => string }} */ { at, as = words.shortTime },
) => html`<time datetime=${new Date(at).toISOString()} title=${words.time(at)}>${as(at)}</time>`;

/** How long ago something was. */
export const Ago = (/** @type {{ at: number }} */ { at }) => html`<${Time} at=${at} as=${words.ago} />`;

/** The state of a delivery, as the page names it. */
export const State = (/** @type {{ name: string }} */ { name }) =>
  html`<span class=${`pill ${name}`}>${name}</span>`;

/** A text as long as somebody made it: two lines of it, or all: in itself, or in what it opens. */
export const Long = (
  /** @type {{ text: any, children?: any, isOpen?: boolean }} */ { text, children, isOpen },
) =>
  html`<details open=${isOpen}>
    <summary><span class=${`long clamp ${children ? '' : 'whole'}`}>${text}</span></summary>
    ${children}
  </details>`;

/** What somebody else has named: its direction is its own, and turns nothing beside it. */
export const own = (/** @type {string} */ text) => html`<bdi>${visible(text)}</bdi>`;

/** Longer than two lines on the smallest screen. */
const LONG = 70;

/** Shows texts that somebody else made, and ours between them: two lines, if they are long. */
export function cut(/** @type {readonly string[]} */ ours, /** @type {string[]} */ ...theirs) {
  const text = ours.map((part, index) => [part, index < theirs.length && own(String(theirs[index]))]);
  const isLong = String.raw({ raw: ours }, ...theirs).length > LONG;
  return isLong ? html`<${Long} text=${text} />` : html`<span class="long">${text}</span>`;
}

/** What somebody can scroll in, with the keyboard too. */
export const Scroll = (/** @type {any} */ { label, kind = '', children }) =>
  html`<pre
    class=${`scroll ${kind}`}
    tabindex="0"
    role="region"
    aria-label=${label}
  ><code>${children}</code></pre>`;

/**
 * A table. The cells of a column have its `kind` as their class; `isName`: they name their rows. `keys` tell rows apart
 * that move. A `stacked` table is a list of its cells, with their titles, where it is narrow.
 *
 * @typedef {{ title: any, kind?: string, isName?: boolean }} Column
 *
 * @param {{ caption?: string, columns: readonly Column[], rows: readonly (readonly any[])[], keys?: readonly number[], id?: string, kind?: string }} shown
 */
export const Table = ({ caption, columns, rows, keys, id, kind }) =>
  html`<table class=${kind}>
    ${
      caption &&
      html`<caption class="unseen">
        ${caption}
      </caption>`
    }
    <thead>
      <tr>
        ${columns.map(({ title, kind }) =>
          typeof title === 'string'
            ? html`<th scope="col" class=${kind}>${title}</th>`
            : html`<td class=${kind}>${title}</td>`,
        )}
      </tr>
    </thead>
    <tbody id=${id}>
      ${rows.map(
        (cells, row) =>
          html`<tr key=${keys?.[row]}>
            ${columns.map(({ title, kind, isName }, column) => {
              const label = typeof title === 'string' ? title : undefined;
              return isName
                ? html`<th scope="row" class=${kind} data-title=${label}>${cells[column]}</th>`
                : html`<td class=${kind} data-title=${label}>${cells[column]}</td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
