import type { ComponentChildren } from 'preact';

import { type Form, type Json, visible } from './content.js';
import type { ShownContent } from './open-deliveries.js';
import { isCurrent, scroll } from './parts.js';
import { addressOf, type Place, quietOf } from './place.js';

const FORM_NAMES: Readonly<Record<Form, string>> = {
  json: 'JSON',
  text: 'Text',
  hex: 'Hex',
  base64: 'Base64',
};

/** Levels of JSON that are open at first. */
const OPEN_LEVELS = 3;

export const contentAddress = (id: number): string => `deliveries/${id}/content`;

/** A content as JSON that folds, as text, or in digits. */
export function contentOf(place: Place, { id, forms, form, why, shown, copiedAs }: ShownContent) {
  const foldButton = (what: 'Fold' | 'Unfold') => (
    <button type="button" data-fold={what}>
      {what} all
    </button>
  );
  return (
    <>
      <div class="row">
        <h3>Content</h3>
        <nav class="tabs" aria-label="Show the content as">
          <ul>
            {forms.map((one) => (
              <li>
                <a href={addressOf(quietOf(place), { form: one })} aria-current={isCurrent(one === form)}>
                  {FORM_NAMES[one]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="row end">
          {form === 'json' && [foldButton('Fold'), foldButton('Unfold')]}
          <button type="button" data-copy={contentAddress(id)} data-as={copiedAs}>
            {copiedAs === 'text' ? 'Copy' : 'Copy base64'}
          </button>
          <a class="button" href={contentAddress(id)} download={`delivery-${id}`}>
            Download
          </a>
        </div>
      </div>
      {why && <p class="note">Shown in hexadecimal digits at first: it {why}.</p>}
      {'json' in shown ? (
        <div class="json" tabIndex={0} role="region" aria-label="Content">
          <code>{valueOf(shown.json)}</code>
        </div>
      ) : (
        scroll('Content', shown.text, { class: form })
      )}
      {shown.isCut && <p class="note">This is the start. The download has everything.</p>}
    </>
  );
}

/** A value of JSON, with its name and a comma if another one follows. */
function valueOf(value: Json, level = 0, name?: string, comma = ''): ComponentChildren {
  const label = name !== undefined && [<span class="good">{visible(name)}</span>, ': '];
  if (typeof value === 'string') {
    const kind = value.startsWith('"') ? 'open' : '';
    return <div>{[label, <span class={kind}>{visible(value)}</span>, comma]}</div>;
  }
  const { open, items } = value;
  const close = (open === '{' ? '}' : ']') + comma;
  if (items.length === 0) return <div>{[label, open, close]}</div>;
  return (
    <>
      <details open={level < OPEN_LEVELS}>
        <summary>
          {[label, open]}
          <span class="folded">
            {' '}
            <span class="note">{items.length === 1 ? '1 value' : `${items.length} values`}</span> {close}
          </span>
        </summary>
        <div>
          {items.map((item, index) =>
            valueOf(item.value, level + 1, item.name, index < items.length - 1 ? ',' : ''),
          )}
        </div>
      </details>
      <div class="close">{close}</div>
    </>
  );
}
