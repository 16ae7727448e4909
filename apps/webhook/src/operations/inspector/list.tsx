import type { DeliveryState, ListedDelivery, StateCounts } from '../../inbox/inbox-operations.js';
import { type Found, visible } from './content.js';
import { deliveryOf } from './delivery.js';
import { firstErrors } from './errors.js';
import { hourOf } from './hour.js';
import type { Look } from './look.js';
import type { OpenDeliveries } from './open-deliveries.js';
import { hidden, isCurrent, own, pill, scroll, Time } from './parts.js';
import * as places from './place.js';
import { addressOf, changed, listOf, newestOf, type Place, quietOf, STATES } from './place.js';
import { changeButtons, questionOf } from './question.js';
import { MOST_NEW, readRows, type Rows, ROWS } from './rows.js';
import * as words from './words.js';

const HOUR = 3_600_000;

/** Times to choose. An address can have any other. */
const RECENT = {
  'Any time': undefined,
  'Last 15 minutes': HOUR / 4,
  'Last hour': HOUR,
  'Last day': 24 * HOUR,
};
const RANGE = { From: 'receivedFrom', To: 'receivedBefore' } as const;
const NO_RANGE = { receivedFrom: undefined, receivedBefore: undefined };

/** The columns: a class, and what stands above. */
const COLUMNS = [
  ['number', 'Id'],
  ['received', 'Received'],
  ['state', 'State'],
  ['number attempts', 'Attempts'],
  ['what', 'Content and error'],
  ['number size', 'Size'],
] as const;

/** The deliveries of this receiver: what they are limited to, a page of them, and the one that is open. */
export async function listPage(look: Look, openDeliveries: OpenDeliveries) {
  const { place, inbox } = look;
  const limits = places.filterOf(changed(place, { state: undefined }));
  const [rows, counts, open] = await Promise.all([
    readRows(look),
    Object.keys(limits).length > 0 ? inbox.count(limits) : look.stats,
    place.delivery && openDeliveries.find(place.delivery, place.form),
  ]);
  const question = await questionOf(
    look,
    rows.deliveries.map(({ id }) => id),
  );
  return (
    <>
      <div class={place.delivery ? 'has-detail' : ''}>
        <div class="overview">
          {hourOf(look)}
          {firstErrors(look)}
        </div>
        <section aria-labelledby="deliveries">
          <h2 id="deliveries" class="unseen" tabIndex={-1}>
            Deliveries
          </h2>
          {toolsOf(look, counts, rows)}
          {chipsOf(look)}
          <div class="split">
            <form class="results" id="list">
              {hidden(quietOf(place))}
              {rows.newCount > 0 && (
                <a id="new" class="button primary" href={addressOf(quietOf(place))}>
                  Show {rows.newCount < MOST_NEW ? rows.newCount : `${MOST_NEW - 1}+`} new
                </a>
              )}
              {rows.deliveries.length > 0 && tableOf(look, rows)}
              {endOf(look, rows, counts)}
            </form>
            {place.delivery && deliveryOf(look, place.delivery, open || undefined)}
          </div>
        </section>
      </div>
      {question}
    </>
  );
}

function toolsOf({ place, times }: Look, counts: StateCounts, rows: Rows) {
  return (
    <div class="tools row">
      <nav class="tabs" aria-label="State">
        <ul>
          {[undefined, ...STATES].map((state) => (
            <li>{tabOf(place, counts, state)}</li>
          ))}
        </ul>
      </nav>
      <details class="menu">
        <summary class="button">Time</summary>
        <div class="card stack">
          {Object.entries(RECENT).map(([text, duration]) => {
            const receivedFrom = duration && Math.floor((times.now - duration) / 1_000) * 1_000;
            return <a href={addressOf(newestOf(place), { ...NO_RANGE, receivedFrom })}>{text}</a>;
          })}
          <form class="stack">
            {hidden(changed(newestOf(place), NO_RANGE))}
            {Object.entries(RANGE).map(([text, name]) => (
              <label>
                {text}
                <input
                  type="datetime-local"
                  step="1"
                  name={name}
                  value={place[name] && times.local(place[name])}
                />
              </label>
            ))}
            <button>Show</button>
          </form>
        </div>
      </details>
      <form role="search">
        {hidden(changed(newestOf(place), { text: undefined }))}
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
      {changesOf(place, counts, rows)}
    </div>
  );
}

/**
 * With a search there are no numbers: it looks at no more than a page needs.
 *
 * @param state undefined for all
 */
function tabOf(place: Place, counts: StateCounts, state: DeliveryState | undefined) {
  const states: readonly DeliveryState[] = state === undefined ? STATES : [state];
  const number = states.reduce((sum, one) => sum + counts[one], 0);
  const isShown = state === undefined ? place.state === undefined : state === places.stateOf(place);
  return (
    <a
      href={addressOf(newestOf(place), { state })}
      class={number > 0 ? state : 'none'}
      aria-current={isCurrent(isShown)}
    >
      {state ?? 'all'} {place.text === undefined && words.count(number)}
    </a>
  );
}

/**
 * What can be done with the rows that are selected, or with all that the place lists, if its deliveries have something in
 * common. script.ts says how many are selected.
 */
function changesOf(place: Place, counts: StateCounts, { deliveries }: Rows) {
  const state = places.stateOf(place);
  const states: readonly DeliveryState[] = state === undefined ? ['parked', 'retrying'] : [state];
  const number = states.reduce((sum, one) => sum + counts[one], 0);
  const isLimited = (state ?? place.errorGroup ?? place.act ?? place.ids) !== undefined;
  const isOfAll = place.text === undefined ? isLimited && number > 0 : deliveries.length > 0;
  const what = isOfAll && !places.isOfShown(place) ? ` these ${words.count(number)}` : ' these';
  return <div class={`changes row ${isOfAll ? '' : 'of-chosen'}`}>{changeButtons(states, what, 'list')}</div>;
}

/** What the list is limited to beside the state, each with a link that takes it away. */
function chipsOf({ place, times }: Look) {
  const without = (names: readonly (keyof Place)[]) =>
    Object.fromEntries(names.map((name) => [name, undefined]));
  return (
    <ul class="row limits" aria-label="Limited to">
      {places.limitsOf(place, times).map(({ names, label }) => (
        <li class="pill row line">
          <span class="cut">{label}</span>
          <a href={addressOf(newestOf(place), without(names))} aria-label={`Remove: ${label}`}>
            ✕
          </a>
        </li>
      ))}
      {/^[1-9]\d{0,14}$/.test(place.text ?? '') && (
        <li>
          <a href={addressOf(listOf(place), { delivery: Number(place.text) })}>Open delivery {place.text}</a>
        </li>
      )}
    </ul>
  );
}

const tableOf = (look: Look, rows: Rows) => (
  <table class="list">
    <thead>
      <tr>
        <td class="choice">
          <input type="checkbox" id="all" aria-label="Select all on this page" />
        </td>
        {COLUMNS.map(([kind, title]) => (
          <th scope="col" class={kind}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody id="rows">{rows.deliveries.map((delivery) => rowOf(look, rows, delivery))}</tbody>
  </table>
);

function rowOf({ place, times, stats }: Look, { found }: Rows, delivery: Rows['deliveries'][number]) {
  const { id } = delivery;
  const name = `Select delivery ${id}`;
  const isOpen = id === place.delivery;
  return (
    <tr id={`row-${id}`}>
      <td class="choice">
        <input
          type="checkbox"
          name="chosen"
          value={id}
          checked={place.chosen?.includes(id)}
          aria-label={name}
        />
      </td>
      <th scope="row" class="number">
        <a href={addressOf(listOf(place), { delivery: id })} aria-current={isCurrent(isOpen)}>
          {id}
        </a>
      </th>
      {'state' in delivery ? (
        <>
          <td class="received">
            <Time at={delivery.receivedAt} />
          </td>
          <td class="state">
            {pill(delivery.state)}{' '}
            {delivery.dueAt !== null && <span class="note">{times.due(delivery.dueAt, stats.isPaused)}</span>}
          </td>
          <td class="number attempts">{delivery.attempts > 0 && words.count(delivery.attempts)}</td>
          <td class="what">{whatOf(delivery, found.get(id))}</td>
          <td class="number size">{words.size(delivery.bytes)}</td>
        </>
      ) : (
        <td class="note">deleted</td>
      )}
    </tr>
  );
}

/** What was sent, or what a search has found in it, and the error or why it was discarded. */
function whatOf(delivery: ListedDelivery, found: Found | undefined) {
  const { preview, reason, error, eventId, method, mediaType, contentEncoding } = delivery;
  const text = visible(reason ?? error ?? '');
  const sent = [eventId, method, mediaType, contentEncoding].filter((part) => part !== null && part !== '');
  return (
    <div>
      <code class="cut">
        {found && [<span class="note">{found.where} </span>, visible(found.before)]}
        {found && [<mark>{visible(found.text)}</mark>, visible(found.after)]}
        {!found && (preview ? visible(preview) : sent.map((part, index) => [index > 0 && ' · ', own(part!)]))}
      </code>
      {text && (
        <span class={reason === null ? 'cut bad' : 'cut note'} title={text}>
          {text}
        </span>
      )}
    </div>
  );
}

/** What is below the rows: other pages, or why there is nothing. */
function endOf({ place, times, facts }: Look, { deliveries, older, hasNewer }: Rows, counts: StateCounts) {
  const isSearch = place.text !== undefined;
  const isEmpty = deliveries.length === 0;
  const isLimited =
    places.limitsOf(place, times).length > 0 || place.state !== undefined || place.rows !== undefined;
  const isUnknown = place.errorGroup !== undefined && STATES.every((state) => counts[state] === 0);
  const link = (text: string, to: Partial<Place>) => <a href={addressOf(newestOf(place), to)}>{text}</a>;
  if (isEmpty && !isLimited && !hasNewer) return emptyOf(facts.url ?? 'URL');
  return (
    <div id="end">
      {isEmpty && (
        <p class="long">{`No ${places.wordsOf(place, times)}${hasNewer ? ' on this page' : ''}.`}</p>
      )}
      {isUnknown && (
        <p>
          No delivery has this error now:{' '}
          <a href={addressOf({ view: 'errors' })}>look at those that there are</a>.
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

function emptyOf(url: string) {
  const command = [
    `curl -i -X POST ${url}`,
    `-H "Authorization: Bearer $ACCESS_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `--data '{"arbitrary":1}'`,
  ];
  return (
    <div id="end" class="empty stack">
      <h3>No delivery has arrived</h3>
      <p>
        Send one, with a token of the receiver. It appears here at once. Method and media type are examples:
        they are open questions, or have the answers of your team.
      </p>
      {scroll('Command', command.join(' \\\n  '))}
      <p>
        Does a sender get an error? <a href="?view=refused">Look at refused requests</a>.
      </p>
    </div>
  );
}
