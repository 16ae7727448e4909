import { addressOf, filterOf, placeOf, wordsOf } from './place.mjs';

const NOWHERE = placeOf('');

test('a place is in its address', () => {
  const place = {
    view: undefined,
    state: 'retrying',
    errorGroup: 'no plant …',
    text: 'a & b',
    receivedFrom: Date.UTC(2026, 0, 31, 12),
    receivedBefore: Date.UTC(2026, 1, 1),
    olderThan: 1_000_000,
    newerThan: undefined,
    delivery: 7,
  } as const;

  expect(addressOf(place)).toBe(
    '?state=retrying&errorGroup=no+plant+%E2%80%A6&text=a+%26+b&receivedFrom=2026-01-31T12%3A00%3A00.000Z&receivedBefore=2026-02-01T00%3A00%3A00.000Z&olderThan=1000000&delivery=7',
  );
  expect(placeOf(addressOf(place))).toEqual(place);
});

test.each(['?state=none', '?receivedFrom=soon', '?olderThan=-1', '?delivery=0', '?delivery=1e3', '?other=1'])(
  '%s: what is wrong in an address is left out',
  (address) => {
    expect(placeOf(address)).toEqual(NOWHERE);
  },
);

test('a filter has only the conditions that are set', () => {
  expect(filterOf(NOWHERE)).toEqual({});
  expect(filterOf({ ...NOWHERE, state: 'retrying', receivedFrom: 5, delivery: 7 })).toEqual({
    state: 'retrying',
    receivedFrom: 5,
  });
});

test('a filter in words', () => {
  expect(wordsOf(NOWHERE)).toBe('deliveries');
  const receivedFrom = new Date(2026, 0, 31, 12).getTime();
  expect(wordsOf({ ...NOWHERE, state: 'parked', receivedFrom })).toBe(
    'parked deliveries received from 2026-01-31 12:00:00',
  );
  expect(wordsOf({ ...NOWHERE, errorGroup: 'no plant …', text: 'a' })).toBe(
    'deliveries that failed with “no plant …” that contain “a”',
  );
});
