import { filterOf, idOf, idsOf, rangeOf, timeOf } from './options.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');

test.each([
  ['2026-03-09', '2026-03-09T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-03-09T08:30', '2026-03-09T08:30:00.000Z'],
  ['2026-03-09T08:30:15', '2026-03-09T08:30:15.000Z'],
  ['2026-03-09T08:30:15.250Z', '2026-03-09T08:30:15.250Z'],
  ['2026-03-09T08:30:15+02:00', '2026-03-09T06:30:15.000Z'],
  ['2026-03-09T08:30+02:00', '2026-03-09T06:30:00.000Z'],
  ['1970-01-01', '1970-01-01T00:00:00.000Z'],
  ['90s', '2026-03-10T11:58:30.000Z'],
  ['30m', '2026-03-10T11:30:00.000Z'],
  ['2h', '2026-03-10T10:00:00.000Z'],
  ['7d', '2026-03-03T12:00:00.000Z'],
  ['999999999d', '1970-01-01T00:00:00.000Z'],
])('%s is %s', (text, time) => {
  expect(timeOf(text, NOW)).toBe(Date.parse(time));
});

test.each([
  '',
  'yesterday',
  '2h30m',
  '-2h',
  '2',
  '2026-02-30',
  '2026-3-9',
  '2026-03-09 08:30',
  '2026-03-09T25:00Z',
  '2026-02-30T08:30',
  '2026-03-09Z',
  '2026-03-09T08:30:15+02',
  '2016-12-31T23:59:60Z',
  '1e3s',
])('is no time: %j', (text) => {
  expect(() => timeOf(text, NOW)).toThrow('It must be a time, such as 2026-11-22');
});

test('ids', () => {
  expect([rangeOf('7'), rangeOf('5..90')]).toEqual([
    { firstId: 7, lastId: 7 },
    { firstId: 5, lastId: 90 },
  ]);
  expect(['3', '1', '3'].reduce<number[]>((ids, text) => idsOf(text, ids), [])).toEqual([3, 1]);
});

test.each(['0', '-1', '1.5', '5..', '..5', '5..4', '1..2..3', 'seven', '9999999999999999999'])(
  'is no id, and no range of ids: %j',
  (text) => {
    expect(() => rangeOf(text)).toThrow('It must be an id or two, the smaller first, such as 7 or 5..90.');
    expect(() => idOf(text)).toThrow('It must be the id of a delivery.');
  },
);

test('a filter has what was chosen', () => {
  expect(filterOf({})).toEqual({});
  const id = { firstId: 3, lastId: 4 };
  expect(filterOf({ state: 'parked', since: 0, before: 2, id, error: 'Error: no plant 7' })).toEqual({
    errorGroup: 'Error: no plant …',
    state: 'parked',
    receivedFrom: 0,
    receivedBefore: 2,
    firstId: 3,
    lastId: 4,
  });
});
