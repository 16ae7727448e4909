import type { Failure } from '@plant-store/contract';
import { type Outcome, PlantStoreError } from './plant-store-error.js';

/** A final HTTP response of the receiver (RFC 9110 §15). */
export interface ReceiverResponse {
  /** A final status, from 200. */
  readonly status: number;
  /** Header fields. Names are in lower case; a field that came several times is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes of the content, up to `maxResponseBytes`. Empty if there were none. */
  readonly content: Uint8Array;
  /**
   * Whether `content` is incomplete: it is longer than `maxResponseBytes`, or a time-out or a lost connection ended
   * the response after its status and header fields.
   */
  readonly truncated: boolean;
}

/** What an unsuccessful response says, where the questions of §7 are answered. */
export interface Explanation {
  readonly failure?: Failure | undefined;
  /** The parsed content. */
  readonly payload?: unknown;
}

/** The final statuses of the registry of HTTP, as ranges (RFC 9110 §16.2.1), and all that mean success. */
const REGISTERED = [
  [200, 299],
  [300, 308],
  [400, 418],
  [421, 426],
  [428, 429],
  [431, 431],
  [451, 451],
  [500, 508],
  [510, 511],
] as const;

/** What a final status that does not acknowledge the delivery says about it. */
interface StatusMeaning {
  readonly outcome: Outcome;
  /** For the message; empty if the status says it. */
  readonly inWords: string;
}

/**
 * 502 and 504 come from a gateway that got no valid response from the receiver, or none in time (RFC 9110 §15.6.3,
 * §15.6.5). It may have passed the request on, so the outcome is `unknown`. An answer to status-codes doesn't change
 * that: nothing tells a receiver's 504 from that of a gateway.
 *
 * The same holds for a status that isn't registered, such as 520 or 524 of Cloudflare and 561 of a load balancer. Only
 * 521 to 523 say that the gateway could not connect.
 *
 * 503 says that the server can't handle the request at the moment (RFC 9110 §15.6.4): it is refused, as with every
 * other registered status. Some say 503 although they may have passed the request on or stored it; docs/errors.md lists
 * them.
 */
function meaningOf(status: number): StatusMeaning {
  if (status === 502 || status === 504) {
    const inWords = ' A gateway responds so if it got no valid response from the receiver.';
    return { outcome: 'unknown', inWords };
  }
  if (status >= 521 && status <= 523) {
    return {
      outcome: 'not-sent',
      inWords: ' A gateway responds so if it could not connect to the receiver.',
    };
  }
  if (REGISTERED.some(([first, last]) => status >= first && status <= last)) {
    return { outcome: 'responded', inWords: '' };
  }
  const inWords = ' HTTP has no such status. A gateway may respond so after it passed the request on.';
  return { outcome: 'unknown', inWords };
}

/** The outcome after a final status that does not acknowledge the delivery. */
export function outcomeOf(status: number): Outcome {
  return meaningOf(status).outcome;
}

/** The header fields of a response that say what its sender should do (RFC 9110 §10.2, §11, §12.5; RFC 5789 §3.1; LDP). */
const TELLING_FIELDS = [
  'Allow',
  'WWW-Authenticate',
  'Proxy-Authenticate',
  'Accept',
  'Accept-Encoding',
  'Accept-Patch',
  'Accept-Post',
  'Retry-After',
  'Location',
];

/** Of a field, so many characters are shown. */
const SHOWN_CHARACTERS = 200;

/**
 * What a response says about what to do, such as `Allow: PUT, PATCH`; empty if it says nothing.
 *
 * @param accessToken Is not shown, also if the receiver repeats it.
 */
function tellingFields({ status, headers }: ReceiverResponse, accessToken: string | undefined): string {
  // Some servers offer an upgrade in every response. Only this status asks for one (RFC 9110 §15.5.22).
  const names = status === 426 ? [...TELLING_FIELDS, 'Upgrade'] : TELLING_FIELDS;
  return names
    .map((name) => [name, [headers[name.toLowerCase()] ?? []].flat().join(', ')] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => {
      const safe = withoutToken(name === 'Location' ? withoutSecrets(value) : value, accessToken);
      const end = safe.length > SHOWN_CHARACTERS ? '…' : '';
      return `${name}: ${escapeHidden(safe.slice(0, SHOWN_CHARACTERS))}${end}`;
    })
    .join('; ');
}

/** Text in which what a terminal acts on, or doesn't show, is written as in JSON, such as `\u001b`. */
function escapeHidden(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, (found) =>
    found.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** A URL or a reference, without what identifies a user: user name, password, query and fragment. */
const withoutSecrets = (url: string): string => url.split(/[?#]/, 1)[0]!.replace(/\/\/[^/]*@/, '//');

/** Text without the access token: as it is, in a URL, and in Base64. */
function withoutToken(text: string, accessToken: string | undefined): string {
  if (!accessToken) return text;
  const forms = [accessToken, encodeURIComponent(accessToken), Buffer.from(accessToken).toString('base64')];
  return forms.reduce((safe, form) => safe.replaceAll(form, '<ACCESS_TOKEN>'), text);
}

/**
 * A final status came back that does not acknowledge the delivery (`PLANT_STORE_NOT_ACKNOWLEDGED`): any status outside
 * 2xx while the question receiver-response is open, any status but the answered one afterwards. The outcome is
 * `responded`, but for what a gateway says: `unknown` with 502, 504 and each status that isn't registered, since it may
 * have passed the request on, and `not-sent` with 521 to 523, since it could not connect. While status-codes,
 * error-codes and error-payloads are open, the status and the content mean nothing more.
 *
 * The message has the status, and the header fields of the response that say what to do, such as `Allow`, `Retry-After`
 * and `WWW-Authenticate`: without the access token, without hidden characters, and 200 characters of each.
 *
 * The receiver may repeat the access token in headers and content. They are therefore getters: they appear in no
 * printed or serialised form of the error.
 */
export class NotAcknowledgedError extends PlantStoreError {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'NotAcknowledgedError', configurable: true });
  }

  declare readonly code: 'PLANT_STORE_NOT_ACKNOWLEDGED';
  readonly #response: ReceiverResponse;
  readonly #payload: unknown;

  /** Status of the response (RFC 9110 §15). Redirects are not followed. */
  readonly status: number;

  /**
   * Why the delivery was not accepted. The answered code in the payload decides (questions error-codes and
   * error-payloads), else the answered status if only one failure has it (question status-codes). Absent otherwise.
   */
  declare readonly failure?: Failure;

  /** @param accessToken What was sent; the message is without it. */
  constructor(
    response: ReceiverResponse,
    url: string,
    { failure, payload }: Explanation = {},
    accessToken?: string,
  ) {
    const told = tellingFields(response, accessToken);
    const status = told === '' ? response.status : `${response.status} (${told})`;
    const { outcome, inWords } = meaningOf(response.status);
    const message = `${url} responded with ${status}, which does not acknowledge the delivery.${inWords}`;
    super('PLANT_STORE_NOT_ACKNOWLEDGED', message, { outcome });
    this.#response = response;
    this.#payload = payload;
    this.status = response.status;
    if (failure !== undefined) this.failure = failure;
  }

  /** Header fields of the response. Names are in lower case. */
  get headers(): ReceiverResponse['headers'] {
    return this.#response.headers;
  }

  /** Content of the response, up to `maxResponseBytes`. */
  get content(): Uint8Array {
    return this.#response.content;
  }

  /**
   * The content as parsed JSON, once the question error-payloads is answered. `undefined` if the content has another
   * media type than the answered one, is incomplete, or isn't JSON.
   */
  get payload(): unknown {
    return this.#payload;
  }

  /** Whether `content` is incomplete. */
  get truncated(): boolean {
    return this.#response.truncated;
  }
}
