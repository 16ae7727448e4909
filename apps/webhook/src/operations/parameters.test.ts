import type { z } from 'zod';

import {
  BATCH_QUERY,
  DISCARD_CONTENT,
  LIST_QUERY,
  NOTHING,
  parseContent,
  parseQuery,
  REPLAY_CONTENT,
} from './parameters.js';
import { RequestFault } from './request-fault.js';

/** What is thrown, without the words that are always the same. */
function faultOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(RequestFault);
    return (error as Error).message.replace(/^The (?:query|content) is wrong: /, '');
  }
  throw new Error('Nothing was thrown.');
}

const query = <Output>(schema: z.ZodType<Output>, text: string): Output =>
  parseQuery(schema, new URLSearchParams(text));

test('a list: defaults', () => {
  expect(query(LIST_QUERY, '')).toEqual({ filter: {}, page: { order: 'newest first', limit: 50 } });
});

test('a list: everything', () => {
  const text =
    'state=parked&firstId=2&lastId=9&receivedFrom=1000&receivedBefore=2026-01-31T12:00:00%2B01:00&order=oldest&after=3&limit=500';
  expect(query(LIST_QUERY, text)).toEqual({
    filter: {
      state: 'parked',
      firstId: 2,
      lastId: 9,
      receivedFrom: 1_000,
      receivedBefore: Date.UTC(2026, 0, 31, 11),
    },
    page: { order: 'oldest first', after: 3, limit: 500 },
  });
});

test('a part of an export', () => {
  expect(query(BATCH_QUERY, 'state=waiting')).toEqual({ filter: { state: 'waiting' }, after: 0, limit: 50 });
  expect(query(BATCH_QUERY, 'after=0&limit=1')).toEqual({ filter: {}, after: 0, limit: 1 });
});

test.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:00.5Z', Date.UTC(2026, 0, 31, 12, 0, 0, 500)],
  ['0', 0],
])('a time: %s', (text, want) => {
  expect(query(LIST_QUERY, `receivedFrom=${text}`).filter).toEqual({ receivedFrom: want });
});

const TIME = 'must be milliseconds since 1970, or ISO 8601 as in 2026-01-31 or 2026-01-31T12:00:00Z';
const ID = 'must be a whole number from 1 to 9007199254740991';
const LIMIT = 'must be a whole number from 1 to 500';

test.each([
  ['state=lost', 'state must be one of waiting, handled, parked, discarded.'],
  ['state=', 'state must be one of waiting, handled, parked, discarded.'],
  ['state=parked&state=handled', 'state is given more than once.'],
  [
    'limit=0&state=x&foo=1&limit=2&state=y&limit=3',
    'limit is given more than once; state is given more than once; state must be one of waiting, handled, parked, discarded; foo is not known.',
  ],
  ['limit=0', `limit ${LIMIT}.`],
  ['limit=501', `limit ${LIMIT}.`],
  ['limit=99999999999999999999', `limit ${LIMIT}.`],
  ['limit=1e2', `limit ${LIMIT}.`],
  ['limit=-1', `limit ${LIMIT}.`],
  ['limit=', `limit ${LIMIT}.`],
  ['after=0', `after ${ID}.`],
  ['firstId=9007199254740992', `firstId ${ID}.`],
  ['lastId=1.5', `lastId ${ID}.`],
  ['order=random', 'order must be one of newest, oldest.'],
  ['receivedFrom=yesterday', `receivedFrom ${TIME}.`],
  ['receivedFrom=2026-01-31T12:00:00', `receivedFrom ${TIME}.`],
  ['receivedFrom=2026-13-31', `receivedFrom ${TIME}.`],
  ['receivedFrom=2026-02-30', `receivedFrom ${TIME}.`],
  ['receivedBefore=2026-02-29T12:00Z', `receivedBefore ${TIME}.`],
  ['receivedBefore=-1', `receivedBefore ${TIME}.`],
  ['arbitrary=1', 'arbitrary is not known.'],
  ['__proto__=1', '__proto__ is not known.'],
  ['limit=a&order=b&c=d', `order must be one of newest, oldest; limit ${LIMIT}; c is not known.`],
])('a list with ?%s', (text, want) => {
  expect(faultOf(() => query(LIST_QUERY, text))).toBe(want);
});

test('no parameters', () => {
  expect(query(NOTHING, '')).toEqual({});
  expect(faultOf(() => query(NOTHING, 'a=1'))).toBe('a is not known.');
});

test('a change', () => {
  const filter = { state: 'parked', receivedFrom: '2026-01-31' };
  expect(parseContent(REPLAY_CONTENT, { filter, after: 7, limit: 2 })).toEqual({
    filter: { state: 'parked', receivedFrom: Date.UTC(2026, 0, 31) },
    after: 7,
    limit: 2,
  });
  expect(parseContent(REPLAY_CONTENT, { filter: {} })).toEqual({ filter: {}, after: 0, limit: 50 });
  expect(parseContent(DISCARD_CONTENT, { filter: {}, reason: ' a test ' })).toEqual({
    batch: { filter: {}, after: 0, limit: 50 },
    reason: 'a test',
  });
});

test.each([
  [[], 'must be a JSON object.'],
  [null, 'must be a JSON object.'],
  ['parked', 'must be a JSON object.'],
  [{}, 'filter must be a JSON object; reason must be text.'],
  [{ filter: [], reason: 'a' }, 'filter must be a JSON object.'],
  [{ filter: { ids: [1] }, reason: 'a' }, 'filter.ids is not known.'],
  [{ filter: { firstId: true }, reason: 'a' }, `filter.firstId ${ID}.`],
  [{ filter: { receivedBefore: '2026-02-30' }, reason: 'a' }, `filter.receivedBefore ${TIME}.`],
  [{ filter: {}, reason: ' ' }, 'reason must not be empty.'],
  [{ filter: {}, reason: 'a'.repeat(1_001) }, 'reason must not have more than 1000 characters.'],
  [{ filter: {}, reason: 'a', all: true }, 'all is not known.'],
])('discarding %j', (content, want) => {
  expect(faultOf(() => parseContent(DISCARD_CONTENT, content))).toBe(want);
});
