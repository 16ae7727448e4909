/**
 * The requests that the receiver has refused since its start: why nothing arrives.
 *
 * @import { RefusalReason } from '../src/counters.js'
 */
import { overview } from './overview.mjs';
import { page } from './page.mjs';
import { Ago, html, Table, Time } from './ui.mjs';
import * as words from './words.mjs';

/** What a reason means, and what to look at. @type {Readonly<Record<RefusalReason, string>>} */
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
  'version-unsupported': 'The version of the request is not the answered one.',
  'event-id-missing': 'The identifier of the event is missing.',
  'signature-invalid': 'The signature does not fit. Compare SIGNING_KEYS with the key of the sender.',
  'rate-exceeded': 'There were more deliveries than the answered rate allows.',
  'head-too-large': 'The header fields are too large.',
  'host-invalid': 'The Host field is missing, or is no host.',
  'path-malformed': 'The path cannot be decoded.',
  'http-version-unsupported': 'The version of HTTP is another one than 1.0 or 1.1.',
  'method-not-implemented': 'The receiver does not implement this method.',
  'transfer-coding-unknown': 'The content has another transfer coding than chunked.',
  'chunk-extensions-too-large': 'The chunks of the content have extensions that are too large.',
  'request-too-slow': 'The request took longer than REQUEST_TIMEOUT_MS.',
  'not-http': 'What came is not HTTP. It may be TLS: is something missing in front of the receiver?',
  unavailable: 'The inbox could not be written, or too much was in flight. See the log.',
};

export function Refused() {
  const { refused = [], lastRefused = [] } = overview.activity ?? {};
  const { about } = page;
  const since = about && html`the start of the receiver, <${Ago} at=${about.startedAt} />`;
  const heading = html`<h2 id="refused" tabindex="-1">Refused requests</h2>`;
  if (refused.length === 0)
    return html`<div class="empty stack">
      ${heading}
      <p>No request was refused.</p>
      <p>This is since ${since}. If nothing arrives either, the sender does not reach the receiver.</p>
      ${about?.url && html`<p>Deliveries come to <code>${about.url}</code>.</p>`}
    </div>`;
  return html`${heading}
    <p class="note">Since ${since}, in memory. Nothing of a request is kept.</p>
    <${Table}
      caption="Refused requests by status and reason"
      kind="stacked"
      columns=${[
        { title: 'Count', kind: 'number' },
        { title: 'Status', kind: 'number' },
        { title: 'Reason', isName: true },
        { title: 'First', kind: 'number' },
        { title: 'Last', kind: 'number' },
      ]}
      rows=${refused.map(({ status, reason, count, firstAt, lastAt }) => [
        html`<strong>${words.count(count)}</strong>`,
        status,
        html`<div>
          ${reason}
          <p class="note">${MEANINGS[reason]}</p>
        </div>`,
        html`<${Ago} at=${firstAt} />`,
        html`<${Ago} at=${lastAt} />`,
      ])}
    />
    <details>
      <summary>The last ${lastRefused.length === 1 ? 'one' : lastRefused.length}</summary>
      <ul>
        ${lastRefused.map(
          ({ at, status, reason, peer }) =>
            html`<li>
              <${Time} at=${at} as=${words.preciseTime} />
              ${` ${status} ${reason}${peer === null ? '' : ` from ${peer}`}`}
            </li>`,
        )}
      </ul>
    </details>`;
}
