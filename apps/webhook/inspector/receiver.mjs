/**
 * The receiver's interface for people who run it.
 *
 * @import { Act, ChangeKind, DeliveryFilter, DeliveryState, ErrorGroup, InboxStats, ListedDelivery, StoredDelivery } from '../src/inbox/inbox-operations.js'
 * @import { RefusedKind, RefusedRequest } from '../src/counters.js'
 * @import { Minute } from '../src/operations/activity.js'
 */

/**
 * A delivery with what was sent. Its content is in base64.
 *
 * @typedef {Omit<StoredDelivery, 'content'> & { content: string }} Delivery
 *
 * @typedef {{ name: string, startedAt: number, inbox: string, url: string | null, operator: string | null }} About
 * `operator` is who has signed in at a proxy.
 *
 * @typedef {{ minutes: readonly Minute[], refused: readonly RefusedKind[], lastRefused: readonly RefusedRequest[] }} Activity
 *
 * What fails, by its error. If `complete` is false, there is more.
 * @typedef {{ groups: readonly ErrorGroup[], complete: boolean }} Errors
 *
 * @typedef {{ order: 'newest' | 'oldest', after?: number | undefined, limit: number }} Page
 */

/** A request that failed. Its message is for people. */
export class RequestError extends Error {
  /** @override */
  name = 'RequestError';

  /** @param {string} code the receiver's, or `UNREACHABLE` @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @param {DeliveryFilter} filter @param {Page} page @returns {Promise<readonly ListedDelivery[]>} */
export async function list(filter, page) {
  const { deliveries } = await ask(`deliveries?${query({ ...filter, ...page })}`);
  return deliveries;
}

/**
 * The deliveries that contain a text. If not all were searched, the search goes on below `next`.
 *
 * @param {string} text
 * @param {DeliveryFilter} filter
 * @param {{ after?: number | undefined, limit: number }} page
 * @returns {Promise<{ deliveries: readonly ListedDelivery[], next: number | null, complete: boolean }>}
 */
export const search = (text, filter, page) => ask(`deliveries/search?${query({ text, ...filter, ...page })}`);

/** How many deliveries of each state a filter has. @param {DeliveryFilter} filter @returns {Promise<Record<DeliveryState, number>>} */
export const counts = (filter) => ask(`deliveries/count?${query(filter)}`);

/** @returns {Promise<Errors>} */
export const errors = () => ask('errors');

/** @returns {Promise<Activity>} */
export const activity = () => ask('activity');

/** @param {number} id @returns {Promise<Delivery>} */
export const show = (id) => ask(`deliveries/${id}`);

/** A delivery with its header fields as they are stored: a character for each byte. @param {number} id @returns {Promise<Delivery>} */
export async function stored(id) {
  const { deliveries } = await ask(`deliveries/batch?${query({ ids: id })}`);
  if (deliveries.length === 0) throw new RequestError('UNKNOWN_DELIVERY', `There is no delivery ${id}.`);
  return deliveries[0];
}

/** @param {number} id */
export const contentAddress = (id) => `deliveries/${id}/content`;

/** @returns {Promise<InboxStats & { receiver: About }>} */
export const stats = () => ask('stats');

/** Who acts, as this browser was told. */
export const operator = () => localStorage.getItem('operator') ?? '';
export const setOperator = (/** @type {string} */ name) => localStorage.setItem('operator', name);

/** @param {ChangeKind} kind @param {DeliveryFilter} filter @param {string | undefined} reason @returns {Promise<Act>} */
export const change = (kind, filter, reason) => send('acts', { kind, filter, operator: operator(), reason });

/** @param {'pause' | 'resume'} action @param {string | undefined} reason */
export const actOnHandler = (action, reason) => send(`handler/${action}`, { operator: operator(), reason });

/** What operators did, the newest first. @returns {Promise<readonly Act[]>} */
export async function acts() {
  const { acts } = await ask('acts');
  return acts;
}

/** @param {number} id @returns {Promise<Act>} */
export const act = (id) => ask(`acts/${id}`);

/** @param {object} parameters */
function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  );
}

/** @param {string} path @param {object} content */
const send = (path, content) =>
  ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(content),
  });

/** @param {string} path @param {RequestInit} [options] */
async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
    if (response.status === 204) return undefined;
    if (response.ok) return await response.json();
  } catch {
    throw new RequestError('UNREACHABLE', "The receiver doesn't respond.");
  }
  // A proxy responds in place of a receiver that is gone, and without a code.
  const { code = 'UNREACHABLE', message } = await response.json().catch(() => ({}));
  throw new RequestError(code, message ?? `The receiver responded with ${response.status}.`);
}
