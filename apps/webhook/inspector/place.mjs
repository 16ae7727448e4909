/**
 * What the page shows. It is in the address of the page, so that a place can be linked to, and the browser goes back.
 *
 * @import { DeliveryFilter, DeliveryState } from '../src/inbox/inbox-operations.js'
 */
import { time } from './words.mjs';

/** What the list can be limited to. @type {readonly DeliveryState[]} */
export const STATES = ['parked', 'retrying', 'waiting', 'running', 'handled', 'discarded'];

/**
 * @typedef {object} Place
 * @property {string | undefined} view undefined for the deliveries
 * @property {DeliveryState | undefined} state
 * @property {string | undefined} errorGroup
 * @property {string | undefined} text what is searched for
 * @property {number | undefined} receivedFrom in milliseconds since 1970
 * @property {number | undefined} receivedBefore
 * @property {number | undefined} olderThan the page begins below this id
 * @property {number | undefined} newerThan the page ends above this id
 * @property {number | undefined} delivery the one whose details are shown
 */

/** @returns {Place} */
export function placeOf(/** @type {string} */ search) {
  const parameters = new URLSearchParams(search);
  const text = (/** @type {string} */ name) => parameters.get(name) || undefined;
  const id = (/** @type {string} */ name) => {
    const digits = text(name) ?? '';
    return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined;
  };
  const time = (/** @type {string} */ name) => {
    const value = Date.parse(text(name) ?? '');
    return Number.isNaN(value) ? undefined : value;
  };
  return {
    view: text('view'),
    state: STATES.find((state) => state === text('state')),
    errorGroup: text('errorGroup'),
    text: text('text'),
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

/** The first page of the same deliveries, with no details. @param {Place} place @returns {Place} */
export const newestOf = (place) => ({
  ...place,
  olderThan: undefined,
  newerThan: undefined,
  delivery: undefined,
});

/** Whether a place is a first page. @param {Place} place */
export const isNewest = ({ olderThan, newerThan }) => olderThan === undefined && newerThan === undefined;

/** The address of the part of a place that the list shows. @param {Place} place */
export const listAddressOf = (place) => addressOf({ ...place, delivery: undefined });

/** @param {Place} place @returns {DeliveryFilter} */
export function filterOf({ state, errorGroup, receivedFrom, receivedBefore }) {
  const limits = { state, errorGroup, receivedFrom, receivedBefore };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/**
 * Which deliveries a place lists, such as `parked deliveries received before 2026-11-22 09:00:00`.
 *
 * @param {Place} place
 */
export const wordsOf = (place) =>
  [place.state, 'deliveries', ...limitsOf(place).map(({ words }) => words)].filter(Boolean).join(' ');

/** How a place limits its deliveries beside their state. @param {Place} place */
export function limitsOf({ errorGroup, text, receivedFrom, receivedBefore }) {
  const [from, before] = [receivedFrom, receivedBefore].map((at) => at !== undefined && time(at));
  return [
    errorGroup && {
      name: 'errorGroup',
      short: `error: ${errorGroup}`,
      words: `that failed with “${errorGroup}”`,
    },
    text && { name: 'text', short: `exactly “${text}”`, words: `that contain “${text}”` },
    from && { name: 'receivedFrom', short: `from ${from}`, words: `received from ${from}` },
    before && {
      name: 'receivedBefore',
      short: `before ${before}`,
      words: `${from ? '' : 'received '}before ${before}`,
    },
  ].filter((limit) => typeof limit === 'object');
}
