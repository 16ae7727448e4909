/**
 * The head of the page: whether the receiver responds, what fails, and the views.
 *
 * @import { Place } from './place.mjs'
 * @import { Stats } from './receiver.mjs'
 */
import { addressOf } from './place.mjs';
import { Button, html } from './ui.mjs';
import * as words from './words.mjs';

/**
 * `count`: a number beside the title; `lostAt`: when the receiver stopped to respond.
 *
 * @typedef {{ name: string | undefined, title: string, count: () => number }} View
 *
 * @param {{
 *   place: Place,
 *   stats: Stats | undefined,
 *   lostAt: number | undefined,
 *   views: readonly View[],
 *   setPaused: (isPaused: boolean) => void,
 * }} shown
 */
export function Header({ place, stats, lostAt, views, setPaused }) {
  const next = stats?.nextRetryAt ? `, next at ${words.shortTime(stats.nextRetryAt)}` : '';
  return html`<header>
    <h1>Inspector</h1>
    <p role="status" class=${lostAt === undefined ? 'live' : 'live lost'}>
      ${lostAt === undefined ? 'live' : `The receiver has not responded since ${words.shortTime(lostAt)}`}
    </p>
    <${Failing} state="parked" number=${stats?.parked} />
    <${Failing} state="retrying" number=${stats?.retrying} more=${next} />
    ${stats?.isPaused && html`<span class="pill paused">The handler is paused</span>`}
    <nav aria-label="Pages">
      <ul>
        ${views.map(
          ({ name, title, count }) =>
            html`<li>
              <a href=${addressOf({ view: name })} aria-current=${name === place.view ? 'page' : undefined}
                >${title}${count() > 0 && html` <span class="count">${words.count(count())}</span>`}</a
              >
            </li>`,
        )}
        <li><a href="api">Interface</a></li>
        <li><a href="openapi.json">openapi.json</a></li>
      </ul>
    </nav>
    ${
      stats &&
      html`<${Button} kind=${stats.isPaused ? 'primary' : ''} act=${() => setPaused(!stats.isPaused)}>
        ${stats.isPaused ? 'Resume the handler' : 'Pause the handler'}
      <//>`
    }
  </header>`;
}

/** @param {{ state: 'parked' | 'retrying', number: number | undefined, more?: string }} shown */
const Failing = ({ state, number = 0, more = '' }) =>
  number > 0 &&
  html`<a class=${`pill ${state}`} href=${`?state=${state}`}>${words.count(number)} ${state}${more}</a>`;
