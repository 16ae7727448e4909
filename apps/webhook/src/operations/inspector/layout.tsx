import type { ComponentChildren } from 'preact';

import type { Act } from '../../inbox/acts.js';
import { changedText } from '../../inbox/in-words.js';
import { Outcome, placeOfAct } from './acts.js';
import { KeysInBrief } from './keys.js';
import type { Look } from './look.js';
import { Own, Reader, Time } from './parts.js';
import { addressOf, newestOf, type Place, wordsOf } from './place.js';
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

/** A whole page. */
export function Page(shown: {
  readonly look: Look;
  readonly done: Act | undefined;
  readonly children: ComponentChildren;
}) {
  const { look, done, children } = shown;
  const { place, facts, stats, times } = look;
  const name = place.view ?? 'deliveries';
  return (
    <html lang="en" data-zone={times.zone} {...NO_TRANSLATION}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{titleOf(look)}</title>
        <link rel="icon" href="inspector.svg" />
        <link rel="stylesheet" href="inspector.css" />
        <script type="module" src="inspector.js" />
      </head>
      <body>
        <Reader.Provider value={times}>
          <a class="skip" href={`#${name}`}>
            Skip to the {name}
          </a>
          <Head look={look} />
          <p id="fault" role="status" />
          <main>
            {stats.isPaused && <Paused look={look} />}
            {done && <Done act={done} />}
            {children}
          </main>
          <footer class="row note">
            {place.view === undefined && <KeysInBrief />}
            <a href="?view=keys">Keys</a>
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
  const failing = [
    stats.parked > 0 && `${words.count(stats.parked)} parked`,
    stats.retrying > 0 && `${words.count(stats.retrying)} retrying`,
  ].filter(Boolean);
  const what = place.delivery === undefined ? wordsOf(newestOf(place), times) : `delivery ${place.delivery}`;
  const title = place.view ?? what;
  const capital = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  return [failing.length > 0 && `▲ ${failing.join(', ')}`, capital, facts.name, 'Inspector']
    .filter(Boolean)
    .join(' · ');
}

/** When this was so, what fails, the pages, and a pause. */
function Head({ look }: { readonly look: Look }) {
  const { place, stats, facts, times, activity } = look;
  const refused = activity.read().refused.reduce((sum, { count }) => sum + count, 0);
  const next = stats.nextRetryAt === null ? '' : `, next ${times.due(stats.nextRetryAt, stats.isPaused)}`;
  return (
    <header class="row">
      <h1 class="cut">{facts.name}</h1>
      <p id="shown" class="note">
        as of <Time at={times.now} />
      </p>
      {stats.parked > 0 && (
        <a class="pill parked" href={addressOf({ state: 'parked' })}>
          {words.count(stats.parked)} parked
        </a>
      )}
      {stats.retrying > 0 && (
        <a class="pill retrying" href={addressOf({ state: 'retrying' })}>
          {words.count(stats.retrying)} retrying
          <span class="wide">{next}</span>
        </a>
      )}
      <nav aria-label="Pages" class="end">
        <ul class="row">
          {PAGES.map(({ view, title }) => (
            <li>
              <a
                href={addressOf({ ...(view && { view }) })}
                aria-current={view === place.view ? 'page' : undefined}
              >
                {title}
                {view === 'refused' && refused > 0 && ` ${words.count(refused)}`}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {!stats.isPaused && <HandlerButton place={place} ask="pause" text="Pause" />}
    </header>
  );
}

const HandlerButton = (shown: {
  readonly place: Place;
  readonly ask: 'pause' | 'resume';
  readonly text: string;
}) => (
  <form>
    <input type="hidden" name="view" value={shown.place.view ?? ''} />
    <button name="ask" value={shown.ask} class={shown.ask === 'pause' ? 'quiet' : 'primary'}>
      {shown.text} <span class="word">the handler</span>
    </button>
  </form>
);

/** Since when the handler is paused, by whom, and why. */
function Paused({ look: { place, pause } }: { readonly look: Look }) {
  return (
    <div id="paused" class="row">
      <p class="fill">
        <strong>The handler is paused</strong>
        {pause && (
          <>
            {' '}
            since <Time at={pause.at} /> by <Own text={pause.operator ?? 'an operator'} />
            {pause.reason !== null && (
              <>
                : <Own text={pause.reason} />
              </>
            )}
          </>
        )}
        . Deliveries are accepted, and wait.
      </p>
      <HandlerButton place={place} ask="resume" text="Resume" />
    </div>
  );
}

const DONE = { replay: 'replayed', discard: 'discarded' } as const;

/** What came of the act that was just done. The page follows it. */
function Done({ act }: { readonly act: Act }) {
  const { kind, changed, endedAt } = act;
  if (kind === 'pause') return null;
  const said =
    kind === 'resume'
      ? 'The handler goes on.'
      : endedAt === null
        ? `${changedText(act)} deliveries are ${DONE[kind]}.`
        : changed === 0
          ? `No delivery was ${DONE[kind]}.`
          : `${words.deliveries(changed)} ${changed === 1 ? 'was' : 'were'} ${DONE[kind]}.`;
  return (
    <p id="done" role="status" tabIndex={-1}>
      {said} {changed > 0 && <Outcome act={act} />}{' '}
      {changed > 0 && <a href={addressOf(placeOfAct(act))}>Show them</a>}
    </p>
  );
}
