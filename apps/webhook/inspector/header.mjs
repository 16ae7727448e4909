/** The head of the page: whether the receiver responds, what fails, and the views. */
import { confirmHandler } from './change.mjs';
import { isGone, page } from './page.mjs';
import { addressOf } from './place.mjs';
import { Button, html } from './ui.mjs';
import * as words from './words.mjs';

/**
 * `count`: a number beside the title.
 *
 * @typedef {{ name: string | undefined, title: string, count?: () => number }} View
 *
 * @param {{ views: readonly View[] }} shown
 */
export function Header({ views }) {
  const { place, stats, about, lostAt } = page;
  const next = stats?.nextRetryAt ? `, next ${words.due(stats.nextRetryAt, stats.isPaused)}` : '';
  return html`<header class="row">
    <h1 class="cut">${about?.name ?? 'Inspector'}</h1>
    <p role="status" class=${lostAt === undefined ? 'note dot good' : 'gone'}>
      ${lostAt === undefined ? 'live' : `The receiver has not responded since ${words.shortTime(lostAt)}`}
    </p>
    <${Failing} state="parked" number=${stats?.parked} />
    <${Failing} state="retrying" number=${stats?.retrying} more=${next} />
    ${stats?.isPaused && html`<span class="pill paused">The handler is paused</span>`}
    <nav aria-label="Pages" class="end">
      <ul class="row">
        ${views.map(
          ({ name, title, count }) =>
            html`<li>
              <a href=${addressOf({ view: name })} aria-current=${name === place.view ? 'page' : undefined}
                >${title}${count?.() ? ` ${words.count(count())}` : ''}</a
              >
            </li>`,
        )}
        <li><a href="api">Interface</a></li>
        <li><a href="openapi.json">openapi.json</a></li>
      </ul>
    </nav>
    ${
      stats &&
      html`<${Button}
        kind=${stats.isPaused ? 'primary' : 'quiet'}
        disabled=${isGone()}
        act=${() => confirmHandler(stats.isPaused ? 'resume' : 'pause')}
      >
        ${stats.isPaused ? 'Resume the handler' : 'Pause the handler'}
      <//>`
    }
  </header>`;
}

/** @param {{ state: 'parked' | 'retrying', number: number | undefined, more?: string }} shown */
const Failing = ({ state, number = 0, more = '' }) =>
  number > 0 &&
  html`<a class=${`pill ${state}`} href=${addressOf({ state })}>${words.count(number)} ${state}${more}</a>`;
