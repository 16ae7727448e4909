import type { ErrorGroup } from '../../inbox/inbox-operations.js';
import { visible } from './content.js';
import type { Look } from './look.js';
import { Time } from './parts.js';
import { addressOf, newestOf } from './place.js';
import * as words from './words.js';

/** Groups that are shown above the deliveries: more would move those off a small screen. */
const FIRST = 3;

/** Groups that are shown at all. */
const MOST = 50;

/** Every error of what is parked or comes again. */
export function errorsPage(look: Look) {
  const { groups, isComplete } = look;
  return (
    <section aria-labelledby="errors-title">
      <h2 id="errors-title" tabIndex={-1}>
        What fails
      </h2>
      {groups.length === 0 && <p>No delivery is parked or retrying.</p>}
      <Groups look={look} groups={groups.slice(0, MOST)} />
      {(!isComplete || groups.length > MOST) && (
        <p class="note">There are more: the newest failures are grouped, and {MOST} errors are shown.</p>
      )}
    </section>
  );
}

/** The most frequent errors. */
export function FirstErrors({ look }: { readonly look: Look }) {
  const { groups } = look;
  const left = groups.length - FIRST;
  return (
    <section id="errors" aria-label="What fails" hidden={groups.length === 0}>
      <Groups look={look} groups={groups.slice(0, FIRST)} />
      {left > 0 && (
        <a class="more" href={addressOf({ view: 'errors' })}>
          {left === 1 ? '1 more error' : `${left} more errors`}
        </a>
      )}
    </section>
  );
}

const Groups = ({ look, groups }: { readonly look: Look; readonly groups: readonly ErrorGroup[] }) => (
  <ul class="errors card">
    {groups.map(({ group, message, parked, retrying, firstAt, lastAt }) => {
      const states = [
        parked > 0 && `${words.count(parked)} parked`,
        retrying > 0 && `${words.count(retrying)} retrying`,
      ];
      return (
        <li>
          <a
            class={`row line ${parked > 0 ? 'parked' : 'retrying'}`}
            href={addressOf(newestOf({ errorGroup: group }))}
            aria-current={look.place.errorGroup === group ? 'true' : undefined}
          >
            <strong>{states.filter(Boolean).join(', ')}</strong>
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
        </li>
      );
    })}
  </ul>
);
