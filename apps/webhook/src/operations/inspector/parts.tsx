import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { DeliveryState } from '../../inbox/inbox-operations.js';
import { visible } from './content.js';
import { parametersOf, type Place } from './place.js';
import { Times } from './words.js';

/** How the reader of a page sees times. */
export const Reader = createContext(new Times('UTC', 0));

type Format = 'full' | 'short' | 'precise' | 'ago';

/** A time. Its title has all of it. */
export function Time({ at, as = 'short' }: { readonly at: number; readonly as?: Format }) {
  const times = useContext(Reader);
  return (
    <time dateTime={new Date(at).toISOString()} title={times.full(at)}>
      {times[as](at)}
    </time>
  );
}

/** The state of a delivery. */
export const State = ({ name }: { readonly name: DeliveryState }) => (
  <span class={`pill ${name}`}>{name}</span>
);

/** What somebody else has written. Its direction is its own, and turns nothing beside it. */
export const Own = ({ text }: { readonly text: string }) => <bdi>{visible(text)}</bdi>;

/** Longer than two lines on the smallest screen. */
const LONG = 70;

/** What somebody else has written, as long as it is: two lines of it, or all. */
export const Long = ({ text }: { readonly text: string }) =>
  text.length <= LONG ? (
    <span class="long">
      <Own text={text} />
    </span>
  ) : (
    <details>
      <summary>
        <span class="long clamp">
          <Own text={text} />
        </span>
      </summary>
    </details>
  );

/** What somebody can scroll in, with the keyboard too. */
export const Scroll = (shown: {
  readonly label: string;
  readonly id?: string;
  readonly kind?: string;
  readonly children: ComponentChildren;
}) => (
  <pre id={shown.id} class={`scroll ${shown.kind ?? ''}`} tabIndex={0} role="region" aria-label={shown.label}>
    <code>{shown.children}</code>
  </pre>
);

/** A place as the hidden fields of a form that leads there. */
export const Hidden = ({ place }: { readonly place: Place }) => (
  <>
    {parametersOf(place).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

/** A table that is a list of its cells, with their titles, where it is narrow. The cell of `name` names its row. */
export const Table = (shown: {
  readonly caption: string;
  readonly titles: readonly string[];
  readonly name?: string;
  readonly rows: readonly (readonly ComponentChildren[])[];
}) => (
  <table class="stacked">
    <caption class="unseen">{shown.caption}</caption>
    <thead>
      <tr>
        {shown.titles.map((title) => (
          <th scope="col">{title}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {shown.rows.map((cells) => (
        <tr>
          {cells.map((cell, column) => {
            const title = shown.titles[column]!;
            const Cell = title === shown.name ? 'th' : 'td';
            return (
              <Cell scope={Cell === 'th' ? 'row' : undefined} data-title={title}>
                {cell}
              </Cell>
            );
          })}
        </tr>
      ))}
    </tbody>
  </table>
);
