import 'reflect-metadata';

import { storedFields } from './new-plant.controller.js';

test('all fields are stored as they were sent, in their order', () => {
  expect(storedFields(['Host', 'a', 'X-Any', ' 1', 'x-any', '', 'traceparent', 'b'])).toEqual([
    ['Host', 'a'],
    ['X-Any', ' 1'],
    ['x-any', ''],
    ['traceparent', 'b'],
  ]);
  expect(storedFields([])).toEqual([]);
});

test.each([
  ...['authorization', 'proxy-authorization', 'cookie'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])('%s is never stored, however it is written', (name) => {
  const title = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

  for (const written of [name, name.toUpperCase(), title])
    expect(storedFields(['A', '1', written, 'secret', 'B', '2', written, 'secret'])).toEqual([
      ['A', '1'],
      ['B', '2'],
    ]);
});

test('what Connection names is not stored, wherever it is', () => {
  expect(
    storedFields([
      'X-One',
      '1',
      'Connection',
      'x-one , close',
      'X-ONE',
      '2',
      'connection',
      'X-Two,',
      'x-two',
      '3',
    ]),
  ).toEqual([]);
});

test('names that are as long as those are stored', () => {
  expect(storedFields(['Xuthorization', '1', 'Cookif', '2', 'tE', '3', 'xe', '4'])).toEqual([
    ['Xuthorization', '1'],
    ['Cookif', '2'],
    ['xe', '4'],
  ]);
});
