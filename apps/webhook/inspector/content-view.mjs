/**
 * Shows a content as text: JSON that folds, as it was sent, or in hexadecimal digits.
 *
 * @import { Form, Json } from './content.mjs'
 */
import { useEffect, useMemo, useState } from 'preact/hooks';

import { bytesOf, exactTextOf, formsOf, hexOf, jsonOf, rawOf, visible, whyNotText } from './content.mjs';
import { contentAddress } from './receiver.mjs';
import { Button, copy, html, Scroll } from './ui.mjs';

/** @type {Record<Form, string>} */
const FORM_NAMES = { json: 'JSON', raw: 'Raw', hex: 'Hex' };

/** Levels of JSON that are open at first, and how many values of one are shown at a time. */
const OPEN_LEVELS = 3;
const VALUES = 100;

/** @typedef {{ levels: number }} Fold how many levels are open, until somebody opens or closes one */

/** @param {{ id: number, base64: string }} shown */
export function Content({ id, base64 }) {
  const content = useMemo(() => bytesOf(base64), [base64]);
  const forms = useMemo(() => formsOf(content), [content]);
  const [form, setForm] = useState(/** @type {Form} */ (forms[0]));
  // The page is drawn again and again, and a content may be long.
  const json = useMemo(() => (form === 'json' ? jsonOf(content) : undefined), [form, content]);
  const shown = useMemo(() => SHOWN[form]?.(content), [form, content]);
  const why = useMemo(() => whyNotText(content), [content]);
  const [fold, setFold] = useState(/** @type {Fold} */ ({ levels: OPEN_LEVELS }));
  const exact = exactTextOf(content);
  // What nobody sees must not get into a terminal.
  const text = exact !== undefined && visible(exact) === exact ? exact : undefined;
  const copied = text === undefined ? 'The content, in base64, was' : 'The content was';
  return html`<div class="row">
      <h3>Content</h3>
      <fieldset class="row">
        <legend class="unseen">Show the content as</legend>
        ${forms.map(
          (one) =>
            html`<label class="row">
              <input type="radio" name="form" checked=${one === form} onChange=${() => setForm(one)} />
              ${FORM_NAMES[one]}
            </label>`,
        )}
      </fieldset>
      <div class="row end">
        ${
          json !== undefined &&
          html`<${Button} act=${() => setFold({ levels: 1 })}>Fold all<//>
            <${Button} act=${() => setFold({ levels: Infinity })}>Unfold all<//>`
        }
        <${Button} act=${() => copy(text ?? base64, copied)}>Copy${text === undefined && ' base64'}<//>
        <a class="button" href=${contentAddress(id)} download=${`delivery-${id}`}>Download</a>
      </div>
    </div>
    ${why && html`<p class="note">Shown in hexadecimal digits at first: it ${why}.</p>`}
    ${
      json !== undefined &&
      html`<div class="json scroll" tabindex="0" role="region" aria-label="Content">
        <code><${Value} value=${json} level=${0} fold=${fold} /></code>
      </div>`
    }
    ${shown && html`<${Scroll} label="Content" kind=${form}>${shown.text}<//>`}
    ${shown?.isCut && html`<p class="note">This is the start. The download has everything.</p>`}`;
}

/** @type {Partial<Record<Form, typeof rawOf>>} */
const SHOWN = { raw: rawOf, hex: hexOf };

/**
 * A value of JSON, with its name and a comma if another one follows.
 *
 * @param {{ value: Json, name?: string, level: number, fold: Fold, isLast?: boolean }} shown
 */
function Value({ value, name, level, fold, isLast = true }) {
  const label = name !== undefined && html`<span class="good">${visible(name)}</span>: `;
  const comma = isLast ? '' : ',';
  if (typeof value === 'string')
    return html`<div>
      ${label}<span class=${value.startsWith('"') ? 'open' : ''}>${visible(value)}</span>${comma}
    </div>`;
  const close = value.open === '{' ? '}' : ']';
  if (value.items.length === 0) return html`<div>${label}${value.open}${close}${comma}</div>`;
  return html`<${Values} value=${value} label=${label} level=${level} fold=${fold} close=${close + comma} />`;
}

/** @param {{ value: Exclude<Json, string>, label: any, level: number, fold: Fold, close: string }} shown */
function Values({ value: { open, items }, label, level, fold, close }) {
  const [isOpen, setOpen] = useState(level < fold.levels);
  const [most, setMost] = useState(VALUES);
  useEffect(() => setOpen(level < fold.levels), [fold]);
  const shown = isOpen ? items.slice(0, most) : [];
  const left = items.length - shown.length;
  return html`<details
      open=${isOpen}
      onToggle=${(/** @type {any} */ event) => {
        if (event.target === event.currentTarget) setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        ${label}${open}${!isOpen && html` <span class="note">${items.length}</span> ${close}`}
      </summary>
      <div>
        ${shown.map(
          ({ name, value }, index) =>
            html`<${Value}
              name=${name}
              value=${value}
              level=${level + 1}
              fold=${fold}
              isLast=${index === items.length - 1}
            />`,
        )}
        ${isOpen && left > 0 && html`<${Button} act=${() => setMost(most + VALUES)}>${left} more<//>`}
      </div>
    </details>
    ${isOpen && html`<div>${close}</div>`}`;
}
