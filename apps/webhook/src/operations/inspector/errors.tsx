import type { ComponentChildren } from 'preact';

import { visible } from './content.js';
import type { Look } from './look.js';
import { isCurrent, Time } from './parts.js';
import { addressOf } from './place.js';
import * as words from './words.js';

/** Groups that are shown above the deliveries, where more would move those off a small screen, and at all. */
const FIRST = 3;
const MOST = 50;

/** Every error of what is parked or comes again. */
export const errorsPage = (look: Look) => (
  <section>
    <h2 id="errors" tabIndex={-1}>
      What fails
    </h2>
    {look.groups.length === 0 && <p>No delivery is parked or retrying.</p>}
    {groupsOf(look, MOST)}
    {(!look.isComplete || look.groups.length > MOST) && (
      <p class="note">There are more: the newest failures are grouped, and {MOST} errors are shown.</p>
    )}
  </section>
);

/** The most frequent errors. */
export function firstErrors(look: Look) {
  const left = look.groups.length - FIRST;
  return (
    <section id="errors" aria-label="What fails" hidden={look.groups.length === 0}>
      {groupsOf(
        look,
        FIRST,
        left > 0 && (
          <a href={addressOf({ view: 'errors' })}>{left === 1 ? '1 more error' : `${left} more errors`}</a>
        ),
      )}
    </section>
  );
}

/** @param more stands beside the last one */
const groupsOf = ({ groups, place }: Look, most: number, more?: ComponentChildren) => (
  <ul class="errors card">
    {groups.slice(0, most).map(({ group, message, parked, retrying, firstAt, lastAt }, index) => (
      <li class="row line">
        <a
          class={`row line fill ${parked > 0 ? 'parked' : 'retrying'}`}
          href={addressOf({ errorGroup: group })}
          aria-current={isCurrent(place.errorGroup === group)}
        >
          <strong>
            {words.list(
              parked > 0 && words.number(parked, 'parked'),
              retrying > 0 && words.number(retrying, 'retrying'),
            )}
          </strong>
          <code class="cut fill" title={visible(message)}>
            {visible(message)}
          </code>
          <span class="note">
            since <Time at={firstAt} as="ago" />
            <span class="wide">
              , last <Time at={lastAt} as="ago" />
            </span>
          </span>
        </a>
        {index === most - 1 && more}
      </li>
    ))}
  </ul>
);
