import { addressOf, filterOf, placeOf, wordsOf } from './place.js';
import { Times } from './words.js';

const BERLIN = new Times('Europe/Berlin', Date.UTC(2026, 1, 1));
const placeIn = (address: string) => placeOf(Object.fromEntries(new URLSearchParams(address)), BERLIN);

test('a place is in its address', () => {
  const place = {
    state: 'retrying',
    errorGroup: 'no plant …',
    receivedFrom: Date.UTC(2026, 0, 31, 12),
    receivedBefore: Date.UTC(2026, 1, 1),
    text: 'a & b',
    olderThan: 1_000_000,
    delivery: 7,
  } as const;

  expect(addressOf(place)).toBe(
    '?state=retrying&errorGroup=no+plant+%E2%80%A6&receivedFrom=2026-01-31T12%3A00%3A00.000Z&receivedBefore=2026-02-01T00%3A00%3A00.000Z&text=a+%26+b&olderThan=1000000&delivery=7',
  );
  expect(placeIn(addressOf(place))).toEqual(place);
});

test('fields of a form may be empty, and have times as the reader sees them', () => {
  expect(placeIn('text=&receivedFrom=2026-01-31T12:00:00&receivedBefore=')).toEqual({
    receivedFrom: Date.UTC(2026, 0, 31, 11),
  });
});

test('an error finds its group', () => {
  const errorGroup = 'connect ECONNREFUSED …';
  for (const text of ['connect ECONNREFUSED 127.0.0.1:5432', errorGroup])
    expect(placeIn(`errorGroup=${text}`)).toEqual({ errorGroup });
});

test.each([
  'state=none',
  'receivedFrom=soon',
  'olderThan=-1',
  'delivery=0',
  'delivery=1e3',
  'other=1',
  'rows=a',
])('%s is refused', (query) => {
  expect(() => placeIn(query)).toThrow();
});

test('a filter has only its conditions, also in words', () => {
  expect(filterOf({})).toEqual({});
  expect(filterOf({ state: 'retrying', receivedFrom: 5, delivery: 7 })).toEqual({
    state: 'retrying',
    receivedFrom: 5,
  });
  expect(wordsOf({}, BERLIN)).toBe('deliveries');
  expect(wordsOf({ state: 'parked', receivedFrom: Date.UTC(2026, 0, 31, 12) }, BERLIN)).toBe(
    'parked deliveries received from 2026-01-31 13:00:00',
  );
  expect(wordsOf({ errorGroup: 'no plant …', text: 'a', ids: [3, 4] }, BERLIN)).toBe(
    'deliveries that failed with “no plant …” that contain “a” 3, 4',
  );
});
