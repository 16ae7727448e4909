import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { DeliveryState } from '../../inbox/inbox-operations.js';
import { visible } from './content.js';
import { parametersOf, type Place } from './place.js';
import { Times } from './words.js';

/** How the reader of a page sees times. */
export const Reader = createContext(new Times('UTC', 0));

/** A time. Its title has all of it. */
export function Time({ at, as = 'short' }: { at: number; as?: 'full' | 'short' | 'precise' | 'ago' }) {
  const times = useContext(Reader);
  return (
    <time dateTime={new Date(at).toISOString()} title={times.full(at)}>
      {times[as](at)}
    </time>
  );
}

/** Marks the link to what is shown. False would be written out, and style and script look for the mark. */
export const isCurrent = (isShown: boolean, what: 'true' | 'page' = 'true') => (isShown ? what : undefined);

export const pill = (state: DeliveryState) => <span class={`pill ${state}`}>{state}</span>;

/** What somebody else has written. Its direction is its own, and turns nothing beside it. */
export const own = (text: string) => <bdi>{visible(text)}</bdi>;

/** Longer than two lines on the smallest screen. */
const LONG = 70;

/** What somebody else has written, as long as it is: two lines of it, or all. */
export function long(text: string) {
  if (text.length <= LONG) return <span class="long">{own(text)}</span>;
  return (
    <details>
      <summary>
        <span class="long clamp">{own(text)}</span>
      </summary>
    </details>
  );
}

/** What somebody can scroll in, with the keyboard too. */
export const scroll = (label: string, text: string, more: { id?: string; class?: string } = {}) => (
  <pre tabIndex={0} role="region" aria-label={label} {...more}>
    <code>{text}</code>
  </pre>
);

/** A place as the hidden fields of a form that leads there. */
export const hidden = (place: Place) =>
  parametersOf(place).map(([name, value]) => <input type="hidden" name={name} value={value} />);

/** A table that is a list of its cells, with their titles, where it is narrow. The cell of `name` names its row, and is the widest. */
export const table = (
  titles: readonly string[],
  name: string,
  rows: readonly (readonly ComponentChildren[])[],
) => (
  <table class="stacked">
    <thead>
      <tr>
        {titles.map((title) => (
          <th scope="col" class={title === name ? 'name' : ''}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((cells) => (
        <tr>
          {titles.map((title, column) => {
            const Cell = title === name ? 'th' : 'td';
            return <Cell data-title={title}>{cells[column]}</Cell>;
          })}
        </tr>
      ))}
    </tbody>
  </table>
);
