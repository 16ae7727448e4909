import type { ComponentChildren } from 'preact';

import type { Act } from '../../inbox/acts.js';
import type { DeliveryState, FailedAttempt } from '../../inbox/inbox-operations.js';
import { gapText, runsOf } from '../../inbox/in-words.js';
import { placeOfAct, whatOf } from './acts.js';
import { visible } from './content.js';
import { Content, contentAddress } from './content-view.js';
import type { Look } from './look.js';
import type { OpenDelivery, ReadDelivery } from './open-deliveries.js';
import { Hidden, Own, Scroll, State, Time } from './parts.js';
import { addressOf, listOf, quietOf } from './place.js';
import { ChangeButtons } from './question.js';
import * as words from './words.js';

/** One delivery: what happened to it, and what was sent. */
export function Delivery({ look, open }: { readonly look: Look; readonly open: OpenDelivery | undefined }) {
  const { place } = look;
  const id = place.delivery!;
  return (
    <section id={`delivery-${id}`} class="detail card" aria-labelledby="delivery">
      <div class="head row">
        <h2 id="delivery" tabIndex={-1}>
          <span class="word">Delivery </span>
          {id}
        </h2>
        {open && (
          <>
            <State name={open.delivery.state} />
            <form class="row">
              <Hidden place={quietOf(place)} />
              <input type="hidden" name="chosen" value={id} />
              <ChangeButtons states={[open.delivery.state]} />
            </form>
          </>
        )}
        <a class="button end" id="close" href={addressOf(listOf(place))}>
          Close
        </a>
      </div>
      {open === undefined ? (
        <p>There is no delivery {id}. It may have been deleted because of its age.</p>
      ) : (
        <Parts look={look} open={open} />
      )}
    </section>
  );
}

function Parts({ look, open }: { readonly look: Look; readonly open: OpenDelivery }) {
  const { delivery, content, curl } = open;
  const { id, fields, state } = delivery;
  return (
    <div class="stack">
      <Timeline delivery={delivery} look={look} />
      {state === 'discarded' || content === undefined ? (
        <p class="note">The header fields and the content were deleted when the delivery was discarded.</p>
      ) : (
        <Content place={look.place} content={content} />
      )}
      <Facts delivery={delivery} />
      {state !== 'discarded' && (
        <>
          <details>
            <summary>{fields.length === 1 ? '1 header field' : `${fields.length} header fields`}</summary>
            <p class="note">Credentials, and fields of the connection, are never stored.</p>
            <table>
              <caption class="unseen">Header fields</caption>
              {fields.map(([name, value]) => (
                <tr>
                  <th scope="row">{visible(name)}</th>
                  <td>{visible(value)}</td>
                </tr>
              ))}
            </table>
          </details>
          <details>
            <summary>Send it again with curl</summary>
            <p class="row note">
              <button type="button" data-copy="#curl">
                Copy curl
              </button>
              Set ACCESS_TOKEN for it: tokens are not stored.
            </p>
            <Scroll id="curl" label="Command">
              {curl(look.facts.url ?? 'URL', `${look.origin}/${contentAddress(id)}`)}
            </Scroll>
          </details>
        </>
      )}
    </div>
  );
}

function Facts({ delivery }: { readonly delivery: ReadDelivery }) {
  const { key, receivedAt, method, mediaType, contentEncoding, eventId, bytes, attempts } = delivery;
  const facts: Record<string, ComponentChildren> = {
    Received: <Time at={receivedAt} as="full" />,
    Attempts: words.count(attempts),
    Method: method,
    Size: words.size(bytes),
    'Media type': visible(mediaType ?? 'none'),
    Encoding: contentEncoding && visible(contentEncoding),
    Event: eventId && visible(eventId),
    Key: key,
  };
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([name, value]) =>
          value && (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** `attempts`: those that failed alike, one after the other. `gap`: what is not kept of those before them. */
interface Event {
  readonly at: number | null;
  readonly kind: 'good' | 'bad' | 'open' | '';
  readonly what?: ComponentChildren;
  readonly attempts?: readonly FailedAttempt[];
  readonly gap?: string;
}

/** What happened before, in its order. */
function pastOf({ receivedAt, replayedAt, history, act }: ReadDelivery): Event[] {
  const runs = runsOf(history);
  const past: Event[] = [
    { at: receivedAt, kind: 'good', what: 'received' },
    ...runs.map((attempts, index) => ({
      at: attempts[0]!.startedAt,
      kind: 'bad' as const,
      attempts,
      gap: gapText(runs[index - 1]?.at(-1), attempts[0]),
    })),
  ];
  if (act !== null && !isOwnDiscard(act))
    past.push({ at: act.kind === 'replay' ? replayedAt : act.at, kind: '', what: <ActText act={act} /> });
  if (replayedAt !== null && act?.kind !== 'replay')
    past.push({ at: replayedAt, kind: '', what: 'replayed by an operator' });
  return past.sort((one, other) => Number(one.at) - Number(other.at));
}

/** The last event says it. Only an act on several deliveries has more to say: of how many. */
const isOwnDiscard = (act: Act): boolean => act.kind === 'discard' && act.changed === 1;

/** What the state of a delivery says. */
function presentOf(delivery: ReadDelivery, { stats, times }: Look): Event {
  const { startedAt, endedAt, dueAt, attempts, reason, act } = delivery;
  const took = startedAt === null || endedAt === null ? '' : ` in ${words.duration(endedAt - startedAt)}`;
  const by = act !== null && isOwnDiscard(act) ? act.operator : null;
  const now: Record<DeliveryState, Event> = {
    waiting: { at: null, kind: 'open', what: 'waits for the handler' },
    retrying: {
      at: null,
      kind: 'open',
      what: `attempt ${attempts + 1} begins ${times.due(dueAt ?? 0, stats.isPaused)}`,
    },
    running: { at: startedAt, kind: 'open', what: `attempt ${attempts} began, and the handler has it` },
    handled: {
      at: endedAt,
      kind: 'good',
      what: `${attempts > 1 ? `attempt ${attempts} ` : ''}handled${took}`,
    },
    parked: {
      at: endedAt,
      kind: 'bad',
      what: `parked after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`,
    },
    discarded: {
      at: endedAt,
      kind: '',
      what: (
        <span class="long">
          discarded
          {by !== null && (
            <>
              {' '}
              by <Own text={by} />
            </>
          )}
          : <Own text={reason ?? ''} />
        </span>
      ),
    },
  };
  return now[delivery.state];
}

/** An act, such as `replay of 12 deliveries by ada@example: the database is back`. */
const ActText = ({ act }: { readonly act: Act }) => (
  <span class="long">
    <a href={addressOf(placeOfAct(act))}>{whatOf(act)}</a> by <Own text={act.operator ?? 'an operator'} />
    {act.reason !== null && (
      <>
        : <Own text={act.reason} />
      </>
    )}
  </span>
);

function Timeline({ delivery, look }: { readonly delivery: ReadDelivery; readonly look: Look }) {
  const events = [...pastOf(delivery), presentOf(delivery, look)];
  const isFailing = delivery.state === 'parked' || delivery.state === 'retrying';
  const last = isFailing ? events.findLast(({ attempts }) => attempts) : undefined;
  return (
    <ol class="timeline" aria-label="What happened">
      {events.map((event) => (
        <>
          {event.gap && (
            <li class="dot note">
              <span>{event.gap}</span>
            </li>
          )}
          <li class={`dot ${event.kind}`}>
            {event.at !== null && <Time at={event.at} as="precise" />}
            {event.attempts ? (
              <Attempts attempts={event.attempts} isOpen={event === last} />
            ) : (
              <span>{event.what}</span>
            )}
          </li>
        </>
      ))}
    </ol>
  );
}

/** Attempts that failed alike, with the stack of the last. */
function Attempts({
  attempts,
  isOpen,
}: {
  readonly attempts: readonly FailedAttempt[];
  readonly isOpen: boolean;
}) {
  const { number, duration, error, stack, receiver } = attempts.at(-1)!;
  const [host, pid] = receiver.split('/');
  return (
    <details open={isOpen}>
      <summary>
        <span class="long clamp">
          {attempts.length > 1
            ? `attempts ${attempts[0]!.number} to ${number}, the same error`
            : `attempt ${number} · ${duration === null ? 'ended with its process' : words.duration(duration)}`}
          {' · '}
          <code>{visible(error)}</code>
        </span>
      </summary>
      <Scroll label={`Stack of attempt ${number}`}>{visible(stack ?? error)}</Scroll>
      <p class="note">
        In process {pid} on {host}
      </p>
    </details>
  );
}
