import { type Given, type OptionName } from './command-line.js';
import { filterOf, idsIn, numberOf } from './selection.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');

const given = (values: Readonly<Partial<Record<OptionName, string>>>): Given => ({
  operands: [],
  inbox: 'file:inbox',
  value: (name) => values[name],
  has: (name) => values[name] !== undefined,
});

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
])('--since %s is %s', (text, time) => {
  expect(filterOf(given({ since: text }), NOW)).toEqual({ receivedFrom: Date.parse(time) });
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
  '1e3s',
])('is no time: %j', (text) => {
  expect(() => filterOf(given({ before: text }), NOW)).toThrow(
    `--before must be a time, such as 2026-11-22 or 2026-11-22T09:30:00Z, or a duration, such as 30m, 2h or 7d (got ${JSON.stringify(text)})`,
  );
});

test.each([
  [{ id: '7' }, { firstId: 7, lastId: 7 }],
  [{ id: '5..90' }, { firstId: 5, lastId: 90 }],
  [{ state: 'parked' }, { state: 'parked' }],
  [{}, {}],
])('%j selects %j', (options, filter) => {
  expect(filterOf(given(options))).toEqual(filter);
});

test.each(['0', '-1', '1.5', '5..', '..5', '5..4', '1..2..3', 'seven', '9999999999999999999'])(
  'is no range of ids: %j',
  (text) => {
    expect(() => filterOf(given({ id: text }))).toThrow(
      `--id must be an id or two, the smaller first, such as 7 or 5..90 (got ${JSON.stringify(text)})`,
    );
  },
);

test.each([
  [{ state: 'failed' }, '--state must be waiting, handled, parked or discarded (got "failed")'],
  [{ since: '1h', before: '2h' }, '--since must be earlier than --before'],
])('%j is refused', (options, message) => {
  expect(() => filterOf(given(options), NOW)).toThrow(message);
});

test('a limit has bounds', () => {
  expect(numberOf(given({ limit: '10' }), 'limit', 10)).toBe(10);
  expect(() => numberOf(given({ limit: '11' }), 'limit', 10)).toThrow(
    '--limit must be a whole number from 1 to 10 (got "11")',
  );
});

test('ids are whole numbers, and a range has its own option', () => {
  expect(idsIn(['1', '20'])).toEqual([1, 20]);
  expect(() => idsIn(['x'])).toThrow('"x" is not the id of a delivery');
  expect(() => idsIn(['1..5'])).toThrow('"1..5" is not the id of a delivery. For several, use --id 1..5');
});
