import type { ComponentChildren } from 'preact';

import type { Act, DeliveryState, FailedAttempt } from '../../inbox/inbox-operations.js';
import { gapText, runsOf } from '../../inbox/in-words.js';
import { placeOfAct, whatOf } from './acts.js';
import { visible } from './content.js';
import { contentAddress, contentOf } from './content-view.js';
import type { Look } from './look.js';
import type { OpenDelivery, ReadDelivery } from './open-deliveries.js';
import { hidden, own, pill, scroll, Time } from './parts.js';
import { addressOf, listOf, quietOf } from './place.js';
import { changeButtons } from './question.js';
import * as words from './words.js';

/**
 * One delivery: what happened to it, and what was sent.
 *
 * @param open undefined if there is none with this id
 */
export function deliveryOf(look: Look, id: number, open: OpenDelivery | undefined) {
  return (
    <section id={`delivery-${id}`} class="detail card" aria-labelledby="delivery">
      <div class="head row">
        <h2 id="delivery" tabIndex={-1}>
          <span class="word">Delivery </span>
          {id}
        </h2>
        {open && pill(open.delivery.state)}
        {open && (
          <form class="row">
            {hidden(quietOf(look.place))}
            <input type="hidden" name="chosen" value={id} />
            {changeButtons([open.delivery.state])}
          </form>
        )}
        <a class="button end" id="close" href={addressOf(listOf(look.place))}>
          Close
        </a>
      </div>
      {open ? (
        partsOf(look, open)
      ) : (
        <p>There is no delivery {id}. It may have been deleted because of its age.</p>
      )}
    </section>
  );
}

function partsOf(look: Look, { delivery, content, curl }: OpenDelivery) {
  const { id, fields } = delivery;
  return (
    <div class="stack">
      {timelineOf(look, delivery)}
      {content && contentOf(look.place, content)}
      {!content && (
        <p class="note">The header fields and the content were deleted when the delivery was discarded.</p>
      )}
      {factsOf(delivery)}
      {content && (
        <details>
          <summary>{fields.length === 1 ? '1 header field' : `${fields.length} header fields`}</summary>
          <p class="note">Credentials, and fields of the connection, are never stored.</p>
          <table>
            {fields.map(([name, value]) => (
              <tr>
                <th scope="row">{visible(name)}</th>
                <td>{visible(value)}</td>
              </tr>
            ))}
          </table>
        </details>
      )}
      {content && (
        <details>
          <summary>Send it again with curl</summary>
          <p class="row note">
            <button type="button" data-copy="#curl">
              Copy curl
            </button>
            Set ACCESS_TOKEN for it: tokens are not stored.
          </p>
          {scroll('Command', curl(look.facts.url ?? 'URL', `${look.origin}/${contentAddress(id)}`), {
            id: 'curl',
          })}
        </details>
      )}
    </div>
  );
}

function factsOf(delivery: ReadDelivery) {
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
  const known = Object.entries(facts).filter(([, value]) => value !== null && value !== '');
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What happened at a time; null for what comes. `gap`: what is not kept of the attempts before it. */
interface Event {
  readonly at: number | null;
  readonly kind: 'good' | 'bad' | 'open' | '';
  readonly what: ComponentChildren;
  readonly gap?: string;
}

function timelineOf(look: Look, delivery: ReadDelivery) {
  const events = [...pastOf(delivery), presentOf(look, delivery)];
  return (
    <ol class="timeline" aria-label="What happened">
      {events.map(({ at, kind, what, gap }) => [
        gap && (
          <li class="dot note">
            <span>{gap}</span>
          </li>
        ),
        <li class={`dot ${kind}`}>
          {at !== null && <Time at={at} as="precise" />}
          {what}
        </li>,
      ])}
    </ol>
  );
}

/** What happened before, in its order. Of attempts that failed alike, one after the other, the last one is shown. */
function pastOf({ receivedAt, replayedAt, history, act, state }: ReadDelivery): Event[] {
  const runs = runsOf(history);
  const isFailing = state === 'parked' || state === 'retrying';
  const past: Event[] = runs.map((attempts, index) => ({
    at: attempts[0]!.startedAt,
    kind: 'bad',
    what: attemptsOf(attempts, isFailing && index === runs.length - 1),
    gap: gapText(runs[index - 1]?.at(-1), attempts[0]),
  }));
  past.unshift({ at: receivedAt, kind: 'good', what: <span>received</span> });
  if (act !== null && !isOwnDiscard(act))
    past.push({ at: act.kind === 'replay' ? replayedAt : act.at, kind: '', what: actOf(act) });
  if (replayedAt !== null && act?.kind !== 'replay')
    past.push({ at: replayedAt, kind: '', what: <span>replayed by an operator</span> });
  return past.sort((one, other) => Number(one.at) - Number(other.at));
}

/** The last event says it. Only an act on several deliveries has more to say: of how many. */
const isOwnDiscard = (act: Act): boolean => act.kind === 'discard' && act.changed === 1;

/** What the state of a delivery says. */
function presentOf({ stats, times }: Look, delivery: ReadDelivery): Event {
  const { state, startedAt, endedAt, dueAt, attempts, reason, act } = delivery;
  const took = startedAt === null || endedAt === null ? '' : ` in ${words.duration(endedAt - startedAt)}`;
  const by = act !== null && isOwnDiscard(act) && act.operator;
  const due = times.due(dueAt ?? 0, stats.isPaused);
  const texts: Record<DeliveryState, ComponentChildren> = {
    waiting: 'waits for the handler',
    retrying: `attempt ${attempts + 1} begins ${due}`,
    running: `attempt ${attempts} began, and the handler has it`,
    handled: `${attempts > 1 ? `attempt ${attempts} ` : ''}handled${took}`,
    parked: `parked after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`,
    discarded: ['discarded', by && [' by ', own(by)], ': ', own(reason ?? '')],
  };
  const kinds = { handled: 'good', parked: 'bad', discarded: '' } as const;
  return {
    at: state === 'waiting' || state === 'retrying' ? null : state === 'running' ? startedAt : endedAt,
    kind: state in kinds ? kinds[state as keyof typeof kinds] : 'open',
    what: <span class="long">{texts[state]}</span>,
  };
}

/** An act, such as `replay of 12 deliveries by ada@example: the database is back`. */
const actOf = (act: Act) => (
  <span class="long">
    <a href={addressOf(placeOfAct(act))}>{whatOf(act)}</a> by {own(act.operator ?? 'an operator')}
    {act.reason !== null && [': ', own(act.reason)]}
  </span>
);

/** Attempts that failed alike, with the stack of the last. */
function attemptsOf(attempts: readonly FailedAttempt[], isOpen: boolean) {
  const { number, duration, error, stack, receiver } = attempts.at(-1)!;
  const [host, pid] = receiver.split('/');
  const which =
    attempts.length > 1
      ? `attempts ${attempts[0]!.number} to ${number}, the same error`
      : `attempt ${number} · ${duration === null ? 'ended with its process' : words.duration(duration)}`;
  return (
    <details open={isOpen}>
      <summary>
        <span class="long clamp">
          {which} · <code>{visible(error)}</code>
        </span>
      </summary>
      {scroll(`Stack of attempt ${number}`, visible(stack ?? error))}
      <p class="note">{`In process ${pid} on ${host}`}</p>
    </details>
  );
}
