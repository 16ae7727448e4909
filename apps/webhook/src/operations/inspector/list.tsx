import type { DeliveryState, ListedDelivery, StateCounts } from '../../inbox/inbox-operations.js';
import { visible } from './content.js';
import { Delivery } from './delivery.js';
import { FirstErrors } from './errors.js';
import { Hour } from './hour.js';
import type { Look } from './look.js';
import type { OpenDeliveries } from './open-deliveries.js';
import { Hidden, Own, Scroll, State, Time } from './parts.js';
import {
  addressOf,
  changed,
  filterOf,
  limitsOf,
  listOf,
  newestOf,
  type Place,
  quietOf,
  stateOf,
  STATES,
  wordsOf,
} from './place.js';
import { ChangeButtons, questionOf } from './question.js';
import { MOST_NEW, readRows, type Rows, ROWS } from './rows.js';
import * as words from './words.js';

/** The deliveries of this receiver: what they are limited to, a page of them, and the one that is open. */
export async function listPage(look: Look, openDeliveries: OpenDeliveries) {
  const { place, inbox } = look;
  const limits = filterOf(changed(place, { state: undefined }));
  const [rows, counts, open] = await Promise.all([
    readRows(look),
    Object.keys(limits).length > 0 ? inbox.count(limits) : look.stats,
    place.delivery === undefined ? undefined : openDeliveries.find(place.delivery, place.form),
  ]);
  const question = await questionOf(
    look,
    rows.deliveries.map(({ id }) => id),
  );
  return (
    <>
      <div class={place.delivery === undefined ? '' : 'has-detail'}>
        <div class="overview">
          <Hour look={look} />
          <FirstErrors look={look} />
        </div>
        <section aria-labelledby="deliveries">
          <h2 id="deliveries" class="unseen" tabIndex={-1}>
            Deliveries
          </h2>
          <Tools look={look} counts={counts} />
          <Limits look={look} />
          <div class="split">
            <form class="results" id="list">
              <Hidden place={quietOf(place)} />
              {rows.newCount > 0 && (
                <a id="new" class="button primary" href={addressOf(quietOf(place))}>
                  Show {rows.newCount < MOST_NEW ? rows.newCount : `${MOST_NEW - 1}+`} new
                </a>
              )}
              {rows.deliveries.length > 0 && <List look={look} rows={rows} />}
              <End look={look} rows={rows} counts={counts} />
            </form>
            {place.delivery !== undefined && <Delivery look={look} open={open} />}
          </div>
        </section>
      </div>
      {question}
    </>
  );
}

function Tools({ look, counts }: { readonly look: Look; readonly counts: StateCounts }) {
  const { place, times } = look;
  return (
    <div class="tools row">
      <nav class="tabs" aria-label="State">
        <ul>
          {[undefined, ...STATES].map((state) => (
            <li>
              <Tab place={place} counts={counts} state={state} />
            </li>
          ))}
        </ul>
      </nav>
      <details class="menu" id="times">
        <summary class="button">Time</summary>
        <div class="card stack">
          {RECENT.map(({ text, duration }) => (
            <a
              href={addressOf(newestOf(place), {
                receivedFrom: duration && Math.floor((times.now - duration) / 1_000) * 1_000,
                receivedBefore: undefined,
              })}
            >
              {text}
            </a>
          ))}
          <form class="stack">
            <Hidden
              place={changed(newestOf(place), { receivedFrom: undefined, receivedBefore: undefined })}
            />
            {RANGE.map(({ name, text }) => (
              <label>
                {text}
                <input
                  type="datetime-local"
                  step="1"
                  name={name}
                  value={place[name] === undefined ? '' : times.local(place[name])}
                />
              </label>
            ))}
            <button>Show</button>
          </form>
        </div>
      </details>
      <form role="search">
        <Hidden place={changed(newestOf(place), { text: undefined })} />
        <input
          id="search"
          type="search"
          name="text"
          maxLength={200}
          autoComplete="off"
          placeholder="Search content, header, error, event or id"
          title="Finds what is written exactly so: upper and lower case differ."
          aria-label="Search"
          value={place.text ?? ''}
        />
      </form>
      <Changes place={place} counts={counts} />
    </div>
  );
}

const HOUR = 3_600_000;

const RECENT = [
  { text: 'Any time', duration: undefined },
  { text: 'Last 15 minutes', duration: HOUR / 4 },
  { text: 'Last hour', duration: HOUR },
  { text: 'Last day', duration: 24 * HOUR },
];

const RANGE = [
  { name: 'receivedFrom', text: 'From' },
  { name: 'receivedBefore', text: 'To' },
] as const;

/** @param shown.state undefined for all */
function Tab(shown: {
  readonly place: Place;
  readonly counts: StateCounts;
  readonly state: DeliveryState | undefined;
}) {
  const { place, counts, state } = shown;
  const states: readonly DeliveryState[] = state === undefined ? STATES : [state];
  const number = states.reduce((sum, one) => sum + counts[one], 0);
  const isShown = state === stateOf(place) && (state !== undefined || place.state === undefined);
  return (
    <a
      href={addressOf(newestOf(place), { state })}
      class={number > 0 ? state : 'none'}
      aria-current={isShown ? 'true' : undefined}
    >
      {state ?? 'all'} {words.count(number)}
    </a>
  );
}

/**
 * What can be done with the rows that are selected, or with all that the place lists, if its deliveries have something in
 * common. script.ts says how many are selected.
 */
function Changes({ place, counts }: { readonly place: Place; readonly counts: StateCounts }) {
  const state = stateOf(place);
  const isOfAll = state !== undefined || (place.errorGroup ?? place.text ?? place.ids) !== undefined;
  const states: readonly DeliveryState[] = state === undefined ? ['parked', 'retrying'] : [state];
  const number = states.reduce((sum, one) => sum + counts[one], 0);
  const what = isOfAll && place.text === undefined ? ` these ${words.count(number)}` : ' these';
  return (
    <div class={`changes row ${isOfAll ? '' : 'of-chosen'}`}>
      <ChangeButtons states={states} what={what} form="list" />
    </div>
  );
}

/** What the list is limited to beside the state, each with a link that takes it away. */
function Limits({ look: { place, times } }: { readonly look: Look }) {
  const { text } = place;
  return (
    <ul class="row limits" aria-label="Limited to">
      {limitsOf(place, times).map(({ names, label }) => (
        <li class="pill row line">
          <span class="cut">{label}</span>
          <a
            href={addressOf(newestOf(place), Object.fromEntries(names.map((name) => [name, undefined])))}
            aria-label={`Remove: ${label}`}
          >
            ✕
          </a>
        </li>
      ))}
      {/^[1-9]\d{0,14}$/.test(text ?? '') && (
        <li>
          <a href={addressOf(listOf(place), { delivery: Number(text) })}>Open delivery {text}</a>
        </li>
      )}
    </ul>
  );
}

function List({ look, rows }: { readonly look: Look; readonly rows: Rows }) {
  return (
    <table class="list">
      <caption class="unseen">Deliveries</caption>
      <thead>
        <tr>
          <td class="choice">
            <input type="checkbox" id="all" aria-label="Select all on this page" />
          </td>
          <th scope="col" class="number">
            Id
          </th>
          <th scope="col" class="received">
            Received
          </th>
          <th scope="col" class="state">
            State
          </th>
          <th scope="col" class="number attempts">
            Attempts
          </th>
          <th scope="col" class="what">
            Content and error
          </th>
          <th scope="col" class="number size">
            Size
          </th>
        </tr>
      </thead>
      <tbody id="rows">
        {rows.deliveries.map((delivery) => (
          <Row look={look} delivery={delivery} rows={rows} />
        ))}
      </tbody>
    </table>
  );
}

function Row(shown: {
  readonly look: Look;
  readonly delivery: Rows['deliveries'][number];
  readonly rows: Rows;
}) {
  const { look, delivery } = shown;
  const { place, times, stats } = look;
  const { id } = delivery;
  const isThere = 'state' in delivery;
  return (
    <tr id={`row-${id}`}>
      <td class="choice">
        <input
          type="checkbox"
          name="chosen"
          value={id}
          checked={place.chosen?.includes(id)}
          aria-label={`Select delivery ${id}`}
        />
      </td>
      <th scope="row" class="number">
        <a
          href={addressOf(listOf(place), { delivery: id })}
          aria-current={id === place.delivery ? 'true' : undefined}
        >
          {id}
        </a>
      </th>
      <td class="received">{isThere && <Time at={delivery.receivedAt} />}</td>
      <td class="state">
        {isThere ? <State name={delivery.state} /> : <span class="note">deleted</span>}
        {isThere && delivery.dueAt !== null && (
          <>
            {' '}
            <span class="note">{times.due(delivery.dueAt, stats.isPaused)}</span>
          </>
        )}
      </td>
      <td class="number attempts">{isThere && delivery.attempts > 0 && words.count(delivery.attempts)}</td>
      <td class="what">{isThere && <What delivery={delivery} rows={shown.rows} />}</td>
      <td class="number size">{isThere && words.size(delivery.bytes)}</td>
    </tr>
  );
}

/** What was sent, or what a search has found in it, and the error. */
function What({ delivery, rows }: { readonly delivery: ListedDelivery; readonly rows: Rows }) {
  const { id, preview, reason, error, eventId, method, mediaType, contentEncoding } = delivery;
  const found = rows.found.get(id);
  const text = visible(reason ?? error ?? '');
  const sent = [eventId, method, mediaType, contentEncoding].filter((part) => part !== null && part !== '');
  return (
    <div>
      {found ? (
        <code class="cut">
          <span class="note">{found.where} </span>
          {visible(found.before)}
          <mark>{visible(found.text)}</mark>
          {visible(found.after)}
        </code>
      ) : (
        <code class="cut">
          {preview
            ? visible(preview)
            : sent.map((part, index) => (
                <>
                  {index > 0 && ' · '}
                  <Own text={part!} />
                </>
              ))}
        </code>
      )}
      {text !== '' && (
        <span class="cut error" title={text}>
          {text}
        </span>
      )}
    </div>
  );
}

/** What is below the rows: other pages, or why there is nothing. */
function End(shown: { readonly look: Look; readonly rows: Rows; readonly counts: StateCounts }) {
  const { look, rows, counts } = shown;
  const { place, times, facts } = look;
  const { deliveries, older, hasNewer } = rows;
  const isSearch = place.text !== undefined;
  const isLimited = limitsOf(place, times).length > 0 || place.state !== undefined;
  const link = (text: string, to: Partial<Place>) => <a href={addressOf(newestOf(place), to)}>{text}</a>;
  if (deliveries.length === 0 && !isLimited && !hasNewer && place.rows === undefined)
    return <Empty url={facts.url ?? 'URL'} />;
  const isUnknown = place.errorGroup !== undefined && STATES.every((state) => counts[state] === 0);
  return (
    <div id="end">
      {deliveries.length === 0 && (
        <p class="long">
          No {wordsOf(place, times)}
          {hasNewer ? ' on this page' : ''}.
          {isUnknown && (
            <>
              {' '}
              No delivery has this error now:{' '}
              <a href={addressOf({ view: 'errors' })}>look at those that there are</a>.
            </>
          )}
        </p>
      )}
      {isSearch && older !== undefined && deliveries.length < ROWS && (
        <p class="note">
          The search stopped after a second: everything from delivery {older} on was searched.
        </p>
      )}
      <nav aria-label="Page" class="row">
        {hasNewer && link('Newest', {})}
        {hasNewer && deliveries[0] && !isSearch && link('Newer', { newerThan: deliveries[0].id })}
        {older !== undefined && link(isSearch ? 'Search older' : 'Older', { olderThan: older })}
      </nav>
    </div>
  );
}

const Empty = ({ url }: { readonly url: string }) => (
  <div id="end" class="empty stack">
    <h3>No delivery has arrived</h3>
    <p>
      Send one, with a token of the receiver. It appears here at once. Method and media type are examples:
      they are open questions, or have the answers of your team.
    </p>
    <Scroll label="Command">
      {[
        `curl -i -X POST ${url}`,
        `-H "Authorization: Bearer $ACCESS_TOKEN"`,
        `-H 'Content-Type: application/json'`,
        `--data '{"arbitrary":1}'`,
      ].join(' \\\n  ')}
    </Scroll>
    <p>
      Does a sender get an error? <a href="?view=refused">Look at refused requests</a>.
    </p>
  </div>
);
