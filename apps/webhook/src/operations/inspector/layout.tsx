import type { ComponentChildren } from 'preact';

import type { Act } from '../../inbox/inbox-operations.js';
import { changedText } from '../../inbox/in-words.js';
import { outcomeOf, placeOfAct } from './acts.js';
import type { Look } from './look.js';
import { isCurrent, own, Reader, Time } from './parts.js';
import { addressOf, newestOf, wordsOf } from './place.js';
import { handlerButton } from './question.js';
import * as words from './words.js';

/** The pages that the head links to. */
const PAGES = [
  { view: undefined, title: 'Deliveries' },
  { view: 'errors', title: 'Errors' },
  { view: 'acts', title: 'Acts' },
  { view: 'refused', title: 'Refused' },
] as const;

/** A translation by the browser would replace the texts of a page that changes. */
const NO_TRANSLATION: object = { translate: 'no' };

/** A browser that is busy would show the first half of a page, and move it when the rest comes. */
const WHEN_WHOLE: object = { rel: 'expect', href: '#message', blocking: 'render' };

/** A whole page. */
export function pageOf(look: Look, done: Act | undefined, content: ComponentChildren) {
  const { place, facts, stats, times } = look;
  const name = place.view ?? 'deliveries';
  return (
    <html lang="en" data-zone={times.zone} {...NO_TRANSLATION}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{titleOf(look)}</title>
        <link {...WHEN_WHOLE} />
        <link rel="icon" href="inspector.svg" />
        <link rel="stylesheet" href="inspector.css" />
        <script type="module" src="inspector.js" />
      </head>
      <body>
        <Reader.Provider value={times}>
          <a class="skip" href={`#${name}`}>
            Skip to the {name}
          </a>
          {headOf(look)}
          <p id="fault" role="status" />
          <main>
            {stats.isPaused && pauseOf(look)}
            {done && doneOf(done)}
            {content}
          </main>
          <footer class="row note">
            {place.view === undefined && (
              <a href="?view=keys">
                <kbd>?</kbd> Keys
              </a>
            )}
            <span>
              Inbox <code>{facts.inbox}</code> · {words.size(stats.bytes)} on disk
            </span>
            <span>Times are in {times.zone}</span>
            <a href="api">Interface</a>
            <a href="openapi.json">openapi.json</a>
          </footer>
          <p id="message" role="status" />
        </Reader.Provider>
      </body>
    </html>
  );
}

/** The title of the tab. It begins with what fails. */
function titleOf({ stats, facts, place, times }: Look): string {
  const failing = words.list(
    stats.parked > 0 && words.number(stats.parked, 'parked'),
    stats.retrying > 0 && words.number(stats.retrying, 'retrying'),
  );
  const what = place.delivery === undefined ? wordsOf(newestOf(place), times) : `delivery ${place.delivery}`;
  const title = place.view ?? what;
  const capital = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  return [failing && `▲ ${failing}`, capital, facts.name, 'Inspector'].filter(Boolean).join(' · ');
}

/** When this was so, what fails, and the pages. */
function headOf({ place, stats, facts, times, activity }: Look) {
  const refused = activity.read().refused.reduce((sum, { count }) => sum + count, 0);
  const next = stats.nextRetryAt === null ? '' : `, next ${times.due(stats.nextRetryAt, stats.isPaused)}`;
  const failing = (state: 'parked' | 'retrying', more = '') =>
    stats[state] > 0 && (
      <a class={`pill ${state}`} href={addressOf({ state })}>
        {words.number(stats[state], state)}
        <span class="wide">{more}</span>
      </a>
    );
  return (
    <header class="row">
      <h1 class="cut">{facts.name}</h1>
      <p id="shown" class="note">
        as of <Time at={times.now} />
      </p>
      {failing('parked')}
      {failing('retrying', next)}
      <nav aria-label="Pages" class="end">
        <ul class="row">
          {PAGES.map(({ view, title }) => (
            <li>
              <a href={addressOf({}, { view })} aria-current={isCurrent(view === place.view, 'page')}>
                {title}
                {view === 'refused' && refused > 0 && ` ${words.count(refused)}`}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {!stats.isPaused && handlerButton(place, 'pause')}
    </header>
  );
}

/** Since when the handler is paused, by whom, and why. */
const pauseOf = ({ place, pause }: Look) => (
  <div id="paused" class="row">
    <p class="fill">
      <strong>The handler is paused</strong>
      {pause && [' since ', <Time at={pause.at} />, ' by ', own(pause.operator ?? 'an operator')]}
      {pause?.reason && [': ', own(pause.reason)]}. Deliveries are accepted, and wait.
    </p>
    {handlerButton(place, 'resume')}
  </div>
);

/** What came of the act that was just done. The page follows it. */
function doneOf(act: Act) {
  const { kind, changed, endedAt } = act;
  if (kind === 'pause') return null;
  const done = kind === 'replay' ? 'replayed' : 'discarded';
  const said =
    endedAt === null
      ? `${changedText(act)} deliveries are ${done}`
      : changed === 0
        ? `No delivery was ${done}`
        : `${words.deliveries(changed)} ${changed === 1 ? 'was' : 'were'} ${done}`;
  const outcome = changed > 0 && outcomeOf(act);
  return (
    <p id="done" role="status" tabIndex={-1}>
      {kind === 'resume' ? 'The handler goes on' : said}
      {outcome && [': ', outcome]}. {changed > 0 && <a href={addressOf(placeOfAct(act))}>Show them</a>}
    </p>
  );
}
