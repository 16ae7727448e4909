import type { z } from 'zod';

import type { DeliveryFilter, DeliveryState } from '../../inbox/inbox-operations.js';
import { PAGE_QUERY } from '../parameters.js';
import { visible } from './content.js';
import type { Times } from './words.js';

/**
 * What a page of the inspector shows. It is the query of its address: whoever opens the address sees the same. Times are
 * in milliseconds since 1970.
 */
export type Place = z.output<typeof PAGE_QUERY>;

/** The states in the order in which somebody looks at them. */
export const STATES = ['parked', 'retrying', 'waiting', 'running', 'handled', 'discarded'] as const;

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/;

const isLocal = (name: string, value: unknown): boolean =>
  name.startsWith('received') && typeof value === 'string' && LOCAL_TIME.test(value);

/** Whether a query has a time without an offset, as a form sends it. */
export const hasLocalTime = (query: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(query).some(([name, value]) => isLocal(name, value));

/**
 * The place of a query. Fields of a form that are empty count as left out, but not the rows of an empty list. Times without
 * an offset are those that the reader sees.
 *
 * @throws ZodError
 */
export function placeOf(query: Readonly<Record<string, unknown>>, times: Times): Place {
  const given = Object.entries(query).filter(([name, value]) => value !== '' || name === 'rows');
  const absolute = given.map(([name, value]) => {
    // What is no time is refused below.
    return [name, isLocal(name, value) ? String(times.parse(value as string) ?? value) : value];
  });
  return PAGE_QUERY.parse(Object.fromEntries(absolute), { reportInput: true });
}

/** The parameters of a place, such as for the hidden fields of a form. */
export function parametersOf(place: Partial<Place>): [name: string, value: string][] {
  return Object.entries(place).flatMap(([name, value]) => {
    if (name === 'rows') return [];
    const isTime = name === 'receivedFrom' || name === 'receivedBefore';
    return [value].flat().map((one): [string, string] => {
      return [name, isTime ? new Date(Number(one)).toISOString() : String(one)];
    });
  });
}

/** The address of a place, with some of it changed. */
export function addressOf(place: Partial<Place>, changes: Changes = {}): string {
  return `?${new URLSearchParams(parametersOf(changed(place, changes))).toString()}`;
}

/** Parts of a place; undefined takes one away. */
export type Changes = { readonly [Name in keyof Place]?: Place[Name] | undefined };

export function changed(place: Partial<Place>, changes: Changes): Place {
  const entries = Object.entries({ ...place, ...changes });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** What is no part of a list, but shown beside it or above it. */
const BESIDE = { form: undefined, ask: undefined, chosen: undefined, done: undefined, rows: undefined };

/** The list of a place, without the delivery that is open. */
export const listOf = (place: Place): Place => changed(place, { ...BESIDE, delivery: undefined });

/** The first page of the list of a place. */
export const newestOf = (place: Place): Place =>
  changed(listOf(place), { olderThan: undefined, newerThan: undefined });

/** The place without a question and a message. */
export const quietOf = (place: Place): Place =>
  changed(place, { ask: undefined, chosen: undefined, done: undefined });

export const isNewest = ({ olderThan, newerThan }: Place): boolean =>
  olderThan === undefined && newerThan === undefined;

export function filterOf(place: Place): DeliveryFilter {
  const { state, errorGroup, act, ids, firstId, lastId, receivedFrom, receivedBefore } = place;
  return changed({}, { state, errorGroup, act, ids, firstId, lastId, receivedFrom, receivedBefore });
}

/** Whether what is changed is what is shown: no filter of a change finds the deliveries of a search, or of an act. */
export const isOfShown = ({ text, act }: Place): boolean => (text ?? act) !== undefined;

/** The one state to which a place is limited; undefined if there is none, or several. */
export function stateOf({ state = [] }: Place): DeliveryState | undefined {
  const states = [state].flat();
  return states.length === 1 ? states[0] : undefined;
}

/** A condition of a place beside its state: the parameters that make it, a label, and words that follow "deliveries". */
export interface Limit {
  readonly names: readonly (keyof Place)[];
  readonly label: string;
  readonly words: string;
}

export function limitsOf(place: Place, times: Times): Limit[] {
  const { errorGroup, text, act, receivedFrom, ids, firstId, lastId } = place;
  const time = (name: 'receivedFrom' | 'receivedBefore', word: string): Limit[] => {
    const at = place[name];
    if (at === undefined) return [];
    const label = `${word} ${times.full(at)}`;
    const isSecond = name === 'receivedBefore' && receivedFrom !== undefined;
    return [{ names: [name], label, words: isSecond ? label : `received ${label}` }];
  };
  const limit = (name: keyof Place, label: string, words = label): Limit => ({ names: [name], label, words });
  const from = firstId === undefined ? '' : `from ${firstId} `;
  const to = lastId === undefined ? '' : `up to ${lastId}`;
  return [
    ...(errorGroup === undefined
      ? []
      : [limit('errorGroup', `error: ${visible(errorGroup)}`, `that failed with “${visible(errorGroup)}”`)]),
    ...(text === undefined
      ? []
      : [limit('text', `exactly “${visible(text)}”`, `that contain “${visible(text)}”`)]),
    ...(act === undefined ? [] : [limit('act', `changed last by act ${act}`)]),
    ...(ids === undefined ? [] : [limit('ids', idsText(ids))]),
    ...(`${from}${to}` === ''
      ? []
      : [{ names: ['firstId', 'lastId'] as const, label: `ids ${from}${to}`, words: `${from}${to}` }]),
    ...time('receivedFrom', 'from'),
    ...time('receivedBefore', 'before'),
  ];
}

/** Ids as a person reads them, such as `3, 4 and 12 more`. */
export function idsText(ids: readonly number[]): string {
  const shown = ids.length > 6 ? ids.slice(0, 5) : ids;
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
  return shown.join(', ') + more;
}

/** Which deliveries a place lists, such as `parked deliveries received before 2026-11-22 09:00:00`. */
export const wordsOf = (place: Place, times: Times): string =>
  [
    [place.state ?? []].flat().join(' and '),
    'deliveries',
    ...limitsOf(place, times).map(({ words }) => words),
  ]
    .filter(Boolean)
    .join(' ');
