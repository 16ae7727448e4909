import type { RefusalReason } from '../../counters.js';
import type { Look } from './look.js';
import { table, Time } from './parts.js';
import * as words from './words.js';

/** What a reason means, and what to look at. */
const MEANINGS: Readonly<Record<RefusalReason, string>> = {
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

/** The requests that the receiver has refused since its start: why nothing arrives. */
export function refusedPage({ activity, facts }: Look) {
  const { refused, lastRefused } = activity.read();
  const rows = refused.map(({ status, reason, count, firstAt, lastAt }) => [
    words.count(count),
    status,
    [reason, <p class="note">{MEANINGS[reason]}</p>],
    <Time at={firstAt} as="ago" />,
    <Time at={lastAt} as="ago" />,
  ]);
  const isEmpty = rows.length === 0;
  return (
    <section class="card stack">
      <h2 id="refused" tabIndex={-1}>
        Refused requests
      </h2>
      <p class="note">
        {isEmpty ? 'No request was refused' : 'Counted in memory'} since the start of the receiver,{' '}
        <Time at={facts.startedAt} as="ago" />. Nothing of a request is kept.
      </p>
      {isEmpty && (
        <p>
          If nothing arrives either, the sender does not reach the receiver: deliveries come to{' '}
          <code>{facts.url}</code>.
        </p>
      )}
      {!isEmpty && table(['Count', 'Status', 'Reason', 'First', 'Last'], 'Reason', rows)}
      {!isEmpty && (
        <details>
          <summary>The last {lastRefused.length === 1 ? 'one' : lastRefused.length}</summary>
          <ul>
            {lastRefused.map(({ at, status, reason, peer }) => (
              <li>
                <Time at={at} as="precise" /> {status} {reason} {peer !== null && `from ${peer}`}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
