import { readFileSync } from 'node:fs';
import { tableOf } from '@plant-store/test-support';
import * as sdk from '../src/index.js';
import { resolveSettings } from '../src/options/resolve-settings.js';
import { OutboxError } from '../src/outbox/index.js';
import { errorCodes, InvalidOptionsError, NotAcknowledgedError, PlantStoreError } from '../src/index.js';
import { arbitrary, openTestSender, rejection } from './support/senders.js';

const read = (page: string): string => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');

/** The options that README.md lists, with their defaults. */
const options = [...read('README.md').matchAll(/^- \*\*`(\w+)`\*\*(?: \((\w+)\))?: /gm)].map(
  ([, name = '', standard = '']) => ({ name, standard }),
);

test('docs/errors.md lists every error code as it is, and no other', () => {
  const expected = Object.entries(errorCodes).map(([code, { outcomes, meaning }]) => [
    `\`${code}\``,
    outcomes.map((outcome) => `\`${outcome}\``).join(', '),
    meaning,
  ]);
  expect(tableOf(read('docs/errors.md'), 'Code')).toEqual(expected);
});

test('README.md lists every option that there is while everything is open, and no other', () => {
  const right = { baseUrl: 'https://example.test', accessToken: 'token', method: 'POST', encode: sdk.json };
  const derived = ['encoder', 'target', 'syntax', 'answered', 'signingKey'];
  const names = Object.keys(resolveSettings({}, right)).filter((name) => !derived.includes(name));
  expect(options.map(({ name }) => name).toSorted()).toEqual(['baseUrl', 'encode', ...names].toSorted());
});

test('README.md lists every limit with its default', () => {
  const limits = options.filter(({ standard }) => !['', 'required'].includes(standard));
  expect(limits.map(({ name, standard }) => [name, standard])).toEqual(
    Object.entries(sdk.limitDefaults).map(([name, value]) => [name, String(value)]),
  );
});

test('the docstrings of the limits have the right defaults', () => {
  const source = readFileSync(new URL('../src/options/limits.ts', import.meta.url), 'utf8');
  const documented = [...source.matchAll(/@default (\d+|true|false)\n\s+\*\/\n\s+readonly (\w+)\?:/g)];
  expect(Object.fromEntries(documented.map(([, value, name]) => [name, value]))).toEqual(
    Object.fromEntries(Object.entries(sdk.limitDefaults).map(([name, value]) => [name, String(value)])),
  );
});

test('the table of codes cannot be changed', () => {
  expect(Object.isFrozen(errorCodes)).toBe(true);
  for (const entry of Object.values(errorCodes)) {
    expect(Object.isFrozen(entry) && Object.isFrozen(entry.outcomes)).toBe(true);
  }
});

test('every error has the base class, its name, and its cause', () => {
  const cause = new Error('arbitrary');
  const response = { status: 500, headers: {}, content: new Uint8Array(0), truncated: false };
  const base = new PlantStoreError('PLANT_STORE_ABORTED', 'text', { outcome: 'unknown', cause });

  expect(base).toMatchObject({ name: 'PlantStoreError', message: 'text', outcome: 'unknown', cause });
  expect('cause' in new PlantStoreError('PLANT_STORE_ABORTED', 'text', { outcome: 'unknown' })).toBe(false);
  for (const error of [new InvalidOptionsError([]), new NotAcknowledgedError(response, 'url')]) {
    expect(error).toBeInstanceOf(PlantStoreError);
    expect(errorCodes[error.code].outcomes).toContain(error.outcome);
    expect(error.name).toBe(error.constructor.name);
  }
});

test('an error is recognised by its code and outcome, also if it comes from another copy of the package', () => {
  const other = (code: string, outcome = 'unknown'): Error =>
    Object.assign(new Error('arbitrary'), { code, outcome });

  expect(
    [sdk.isPlantStoreError, sdk.isNotAcknowledged, sdk.isInvalidOptions].map((is) => [
      is(other('PLANT_STORE_ABORTED')),
      is(other('PLANT_STORE_NOT_ACKNOWLEDGED')),
      is(new InvalidOptionsError([])),
      is(other('PLANT_STORE_OF_A_LATER_VERSION')),
      is(other('ECONNRESET')),
      is(other('PLANT_STORE_ABORTED', 'parked')),
      is(new OutboxError('PLANT_STORE_OUTBOX_MISSING', 'arbitrary')),
      is({ code: 'PLANT_STORE_ABORTED', outcome: 'unknown' }),
      is(undefined),
      is(Object.defineProperty(new Error('arbitrary'), 'code', { get: refuse })),
    ]),
  ).toEqual([
    [true, true, true, true, false, false, false, false, false, false],
    [false, true, false, false, false, false, false, false, false, false],
    [false, false, true, false, false, false, false, false, false, false],
  ]);
});

describe('the stack of an error has the line of the caller', () => {
  test.each([
    ['nobody listens', { baseUrl: 'http://127.0.0.1:9' }],
    ['encode returns nothing', { baseUrl: 'http://127.0.0.1:9', encode: () => ({ content: '' }) }],
    ['a time-out', { baseUrl: 'http://127.0.0.1:9', totalTimeout: 1, accessToken: never }],
  ])('send: %s', async (_, options) => {
    const sender = openTestSender(options);
    const error = await rejection(
      (async () => {
        await sender.send(arbitrary);
      })(),
    );

    expect(error.stack).toContain('errors.test.ts');
  });
});

function never(): Promise<never> {
  return new Promise(() => {});
}

function refuse(): never {
  throw new TypeError('arbitrary');
}
