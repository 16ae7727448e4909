/**
 * The requests that the receiver has refused since its start: why nothing arrives.
 *
 * @import { Stats } from './receiver.mjs'
 */
import { overview } from './overview.mjs';
import { Ago, html } from './ui.mjs';
import * as words from './words.mjs';

/** What a reason means, and what to look at. @type {Readonly<Record<string, string>>} */
const MEANINGS = {
  'credentials-missing': 'There is no bearer token in the Authorization field.',
  'credentials-malformed': 'The Authorization field is no bearer token, or there are several.',
  'token-invalid': 'The token is not one of this receiver. Compare ACCESS_TOKENS with that of the sender.',
  'path-unknown': 'Nothing is at this path. Compare the URL of the sender.',
  'method-not-allowed': 'This method carries no content, or is not the answered one.',
  'content-missing': 'The request has no content.',
  'content-too-large': 'The content is larger than MAX_CONTENT_BYTES.',
  'content-malformed': 'The content is not valid in its media type.',
  'content-invalid': 'The content does not have the fields of a plant.',
  'media-type-unsupported': 'The media type is not the answered one.',
  'request-too-slow': 'The request took longer than REQUEST_TIMEOUT_MS.',
  'not-http': 'What came is not HTTP. It may be TLS: is something missing in front of the receiver?',
  unavailable: 'The inbox could not be written, or too much was in flight. See the log.',
};

const textOf = (
  /** @type {number} */ status,
  /** @type {string} */ reason,
  /** @type {string | null} */ peer,
) => ` ${status} ${reason}${peer === null ? '' : ` from ${peer}`}`;

/** @param {{ stats: Stats | undefined }} shown */
export function Refused({ stats }) {
  const { refused = [], lastRefused = [] } = overview.activity ?? {};
  const since = stats && html`the start of the receiver, <${Ago} at=${stats.receiver.startedAt} />`;
  const heading = html`<h2 id="refused" tabindex="-1">Refused requests</h2>`;
  if (refused.length === 0)
    return html`<div class="empty">
      ${heading}
      <p>No request was refused.</p>
      <p>This is since ${since}. If nothing arrives either, the sender does not reach the receiver.</p>
      ${stats?.receiver.url && html`<p>Deliveries come to <code>${stats.receiver.url}</code>.</p>`}
    </div>`;
  return html`${heading}
    <p class="note">Since ${since}, in memory. Nothing of a request is kept.</p>
    <table class="refused">
      <caption class="unseen">
        Refused requests by status and reason
      </caption>
      <thead>
        <tr>
          <th scope="col" class="number">Count</th>
          <th scope="col">Status</th>
          <th scope="col">Reason</th>
          <th scope="col">First</th>
          <th scope="col">Last</th>
        </tr>
      </thead>
      <tbody>
        ${refused.map(
          ({ status, reason, count, firstAt, lastAt }) =>
            html`<tr>
              <td class="number"><strong>${words.count(count)}</strong></td>
              <td>${status}</td>
              <th scope="row">
                ${reason}
                <p class="note">${MEANINGS[reason]}</p>
              </th>
              <td><${Ago} at=${firstAt} /></td>
              <td><${Ago} at=${lastAt} /></td>
            </tr>`,
        )}
      </tbody>
    </table>
    <details>
      <summary>The last ${lastRefused.length === 1 ? 'one' : lastRefused.length}</summary>
      <ul class="requests">
        ${lastRefused.map(
          ({ at, status, reason, peer }) =>
            html`<li>
              <time datetime=${new Date(at).toISOString()}>${words.preciseTime(at)}</time
              >${textOf(status, reason, peer)}
            </li>`,
        )}
      </ul>
    </details>`;
}
