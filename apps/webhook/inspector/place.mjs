/**
 * What the page shows. It is in the address of the page, so that a place can be linked to, and the browser goes back.
 *
 * @import { DeliveryFilter, DeliveryState } from '../src/inbox/inbox-operations.js'
 */
import { time } from './words.mjs';

/** @type {readonly DeliveryState[]} */
export const STATES = ['waiting', 'running', 'handled', 'parked', 'discarded'];

/**
 * @typedef {object} Place
 * @property {DeliveryState | undefined} state
 * @property {number | undefined} receivedFrom in milliseconds since 1970
 * @property {number | undefined} receivedBefore
 * @property {number | undefined} olderThan the page begins below this id
 * @property {number | undefined} newerThan the page ends above this id
 * @property {number | undefined} delivery the one whose details are shown
 */

/** @returns {Place} */
export function placeOf(/** @type {string} */ search) {
  const parameters = new URLSearchParams(search);
  const id = (/** @type {string} */ name) => {
    const text = parameters.get(name) ?? '';
    return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
  };
  const time = (/** @type {string} */ name) => {
    const value = Date.parse(parameters.get(name) ?? '');
    return Number.isNaN(value) ? undefined : value;
  };
  return {
    state: STATES.find((state) => state === parameters.get('state')),
    receivedFrom: time('receivedFrom'),
    receivedBefore: time('receivedBefore'),
    olderThan: id('olderThan'),
    newerThan: id('newerThan'),
    delivery: id('delivery'),
  };
}

/** @param {Partial<Place>} place */
export function addressOf(place) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(place)) {
    if (value === undefined) continue;
    const isTime = name === 'receivedFrom' || name === 'receivedBefore';
    parameters.set(name, isTime ? new Date(Number(value)).toISOString() : String(value));
  }
  return `?${parameters}`;
}

/**
 * The first page of the same deliveries, with no details.
 *
 * @param {Place} place
 * @returns {Place}
 */
export const newestOf = (place) => ({
  ...place,
  olderThan: undefined,
  newerThan: undefined,
  delivery: undefined,
});

/**
 * @param {Place} place
 * @returns {DeliveryFilter}
 */
export function filterOf({ state, receivedFrom, receivedBefore }) {
  return {
    ...(state !== undefined && { state }),
    ...(receivedFrom !== undefined && { receivedFrom }),
    ...(receivedBefore !== undefined && { receivedBefore }),
  };
}

/**
 * Which deliveries a place lists, such as `parked deliveries received before 2026-11-22 09:00:00`.
 *
 * @param {Place} place
 */
export const wordsOf = (place) =>
  [...(place.state === undefined ? [] : [place.state]), 'deliveries', ...timesOf(place)].join(' ');

/**
 * When the deliveries of a place were received, such as `received`, `before 2026-11-22 09:00:00`. Nothing for any time.
 *
 * @param {Place} place
 */
export function timesOf({ receivedFrom, receivedBefore }) {
  const times = [
    ...(receivedFrom === undefined ? [] : [`from ${time(receivedFrom)}`]),
    ...(receivedBefore === undefined ? [] : [`before ${time(receivedBefore)}`]),
  ];
  return times.length === 0 ? [] : ['received', ...times];
}
