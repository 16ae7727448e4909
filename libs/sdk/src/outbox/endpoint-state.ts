import type { Failure } from '@plant-store/contract';
import type { ErrorCode } from '../errors/plant-store-error.js';
import { isNotAcknowledged, isPlantStoreError } from '../errors/sender-error.js';
import { Outage } from './outage.js';

/**
 * What the result of an attempt says about the endpoint: its address, its credentials, the connection to it. After
 * `unsure`, the endpoint is suspect too, but the plant may have arrived.
 */
type Sign = 'works' | 'fails' | 'suspect' | 'unsure' | 'nothing';

/** Nothing about an entry causes these, if nothing was sent. A function for its header fields may cause a time-out. */
const failing: ReadonlySet<string> = new Set<ErrorCode>([
  'PLANT_STORE_ACCESS_TOKEN_FAILED',
  'PLANT_STORE_SIGNING_KEY_FAILED',
  'PLANT_STORE_CONNECT_FAILED',
  'PLANT_STORE_CONNECT_TIMEOUT',
  'PLANT_STORE_CONNECTION_LOST',
]);

/** An entry, or whoever closed the sender, causes these. */
const unrelated: ReadonlySet<string> = new Set<ErrorCode>([
  'PLANT_STORE_INVALID_OPTIONS',
  'PLANT_STORE_ENCODE_FAILED',
  'PLANT_STORE_CONTENT_TOO_LARGE',
  'PLANT_STORE_SENDER_CLOSED',
  'PLANT_STORE_ABORTED',
]);

/**
 * Statuses that RFC 9110 §15 (511: RFC 6585 §6) defines by the target resource, the server or the credentials, and not
 * by the content. So are redirects. An entry may cause one all the same, because the question status-codes is open.
 */
const suspects: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410, 421, 426, 501, 505, 511]);

/** The same once the question status-codes is answered, and the error has the failure that its status means. */
const suspectFailures: ReadonlySet<Failure> = new Set<Failure>([
  'credentials-missing',
  'credentials-malformed',
  'token-invalid',
  'path-unknown',
  'method-not-allowed',
  'version-unsupported',
  'signature-invalid',
]);

function signOf(error: Error | undefined): Sign {
  if (error === undefined) return 'works';
  if (!isPlantStoreError(error)) return 'nothing';
  // The plant may have arrived, so the policy decides about the entry. The others may wait all the same.
  if (error.outcome === 'unknown') return error.code === 'PLANT_STORE_ATTEMPT_CUT_OFF' ? 'nothing' : 'unsure';
  if (isNotAcknowledged(error)) {
    const { failure, status } = error;
    // It is about the server, but some say so although they have stored the plant: so the policy decides.
    if (status === 503 && failure === undefined) return 'unsure';
    const isRedirect = status >= 300 && status < 400;
    const isSuspect = failure ? suspectFailures.has(failure) : isRedirect || suspects.has(status);
    return isSuspect ? 'suspect' : 'works';
  }
  if (unrelated.has(error.code)) return 'nothing';
  if (error.outcome === 'responded') return 'works';
  return failing.has(error.code) ? 'fails' : 'suspect';
}

/** So many entries in a row make a suspicion a fact: one entry alone can't stop the others. */
const ROW = 5;

/** How long the relay waits for its first probe, and for later ones at most, in milliseconds. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/**
 * Whether the endpoint takes deliveries, as far as a relay knows.
 *
 * - `open`: attempts run side by side. It is left when an attempt fails in a way that no entry causes, or when several
 *   entries in a row have a result that is suspected of it.
 * - `probing`: one attempt at a time, after a wait that grows. It is left at any other response. Entries whose attempts
 *   show the fault wait, and their attempts don't count.
 */
export class EndpointState {
  readonly #outage: Outage;
  /** Entries with a suspect result, and nothing that works between them. */
  readonly #row = new Set<number>();
  #beginAt = 0;

  constructor(report: (error: Error) => void) {
    this.#outage = new Outage('endpoint', FIRST_WAIT, LONGEST_WAIT, report);
  }

  get mode(): 'open' | 'probing' {
    return this.#outage.isOn ? 'probing' : 'open';
  }

  /** When attempts may begin, in milliseconds since the start of the process. */
  get beginAt(): number {
    return this.#beginAt;
  }

  /**
   * The transition after an attempt.
   *
   * @param error `undefined` if it was acknowledged.
   * @param isLast Whether no other attempt runs: those that began at the same time count once.
   * @returns Whether the endpoint is at fault, so that the entry waits.
   */
  note(id: number, error: Error | undefined, isLast: boolean): boolean {
    const sign = signOf(error);
    if (sign === 'works') this.#row.clear();
    const isSuspect = sign === 'suspect' || sign === 'unsure';
    if (isSuspect && this.#row.size < ROW) this.#row.add(id);
    const isAtFault = sign === 'fails' || (isSuspect && this.#row.size === ROW);
    const isInDoubt = sign === 'nothing' || sign === 'unsure';
    if (isAtFault || (isInDoubt && this.mode === 'probing')) {
      this.#beginAt = performance.now() + this.#outage.fail(error!, isLast);
    } else if (!isInDoubt) {
      this.#outage.end();
      this.#beginAt = 0;
    }
    return isAtFault && sign !== 'unsure';
  }
}
