import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { Disk, writeState } from './disk.js';
import { randomCut } from './power-cut.js';
import { Random } from './random.js';

let folder: string;
beforeEach(() => (folder = makeFolder()));

/** A record as preload/disk-journal.c writes it. */
function record(kind: string, name: string, offset = 0, bytes = ''): Buffer {
  const header = Buffer.alloc(64);
  header.write(kind + name, 'latin1');
  header.writeBigInt64LE(BigInt(offset), 48);
  header.writeBigInt64LE(BigInt(bytes.length), 56);
  return Buffer.concat([header, Buffer.from(bytes, 'latin1')]);
}

/** All states in which power cuts leave the folder after this, each once. */
function statesAfter(
  records: readonly Buffer[],
  files: Readonly<Record<string, string | undefined>>,
): unknown[] {
  const states = new Set<string>();
  for (let seed = 0; seed < 400; seed += 1) {
    writeState(
      folder,
      new Map(
        Object.entries(files).map(([name, text]) => [
          name,
          text === undefined ? text : Buffer.from(text, 'latin1'),
        ]),
      ),
    );
    const disk = new Disk(folder);
    disk.replay(Buffer.concat(records));
    disk.become(disk.stateAfter(randomCut(new Random(seed))));
    const left = readdirSync(folder, { withFileTypes: true }).map((entry) => [
      entry.name,
      entry.isDirectory()
        ? readdirSync(join(folder, entry.name))
        : readFileSync(join(folder, entry.name), 'latin1'),
    ]);
    states.add(JSON.stringify(Object.fromEntries(left)));
  }
  return Array.from(states, (state) => JSON.parse(state) as unknown);
}

test('what was flushed stays, in a folder that was flushed', () => {
  const records = [record('o', 'a'), record('w', 'a', 0, 'kept'), record('f', 'a'), record('f', '.')];
  expect(statesAfter(records, { a: 'kept' })).toEqual([{ a: 'kept' }]);
});

test('what was written and not flushed is there or not, and what was flushed before stays', () => {
  const records = [
    record('o', 'a'),
    record('f', '.'),
    record('w', 'a', 0, 'kept'),
    record('f', 'a'),
    record('w', 'a', 4, ' new'),
    record('w', 'a', 8, ' newer'),
  ];
  const states = statesAfter(records, { a: 'kept new newer' });
  const expected = [
    'kept',
    'kept new',
    'kept\0\0\0\0 newer',
    'kept new newer',
    // The size was written, and the bytes were not.
    'kept\0\0\0\0',
    'kept new\0\0\0\0\0\0',
    'kept\0\0\0\0\0\0\0\0\0\0',
  ];
  expect(states).toHaveLength(expected.length);
  expect(states).toEqual(expect.arrayContaining(expected.map((a) => ({ a }))));
});

test('a long write is torn at sectors', () => {
  const bytes = 'x'.repeat(1_024);
  const records = [record('o', 'a'), record('f', '.'), record('w', 'a', 0, bytes)];
  const states = statesAfter(records, { a: bytes });
  expect(states).toContainEqual({ a: 'x'.repeat(512) });
  expect(states).toContainEqual({ a: '\0'.repeat(512) + 'x'.repeat(512) });
});

test('files of a folder that was not flushed are there in the order in which they were created', () => {
  const records = [record('o', 'a'), record('o', 'b')];
  const states = statesAfter(records, { a: '', b: '' });
  expect(states).toHaveLength(3);
  expect(states).toEqual(expect.arrayContaining([{}, { a: '' }, { a: '', b: '' }]));
});

test('a file of a folder that was made is there only if both folders were flushed', () => {
  const made = [record('d', 'b'), record('o', 'b/a'), record('f', 'b/a'), record('f', 'b')];
  const files = { b: undefined, 'b/a': '' } as const;
  const states = statesAfter(made, files);
  expect(states).toHaveLength(2);
  expect(states).toEqual(expect.arrayContaining([{}, { b: ['a'] }]));
  expect(statesAfter([...made, record('f', '.')], files)).toEqual([{ b: ['a'] }]);
});

test('a write that wrote less counts for what it wrote', () => {
  const records = [
    record('o', 'a'),
    record('f', '.'),
    record('w', 'a', 0, 'abcdef'),
    record('s', 'a', 3),
    record('f', 'a'),
  ];
  expect(statesAfter(records, { a: 'abc' })).toEqual([{ a: 'abc' }]);
});

test('a write and a truncation that failed change nothing', () => {
  const failed = [
    record('w', 'a', 100, 'abc'),
    record('s', 'a', 0),
    record('t', 'a', 50),
    record('s', 'a', 0),
  ];
  const records = [record('o', 'a'), record('f', '.'), ...failed, record('f', 'a')];
  expect(statesAfter(records, { a: '' })).toEqual([{ a: '' }]);
});

test('a process that was killed before its last write has not written it', () => {
  const records = [record('o', 'a'), record('f', '.'), record('w', 'a', 0, 'never')];
  expect(statesAfter(records, { a: '' })).toEqual([{ a: '' }]);
});

test('a process that was killed in the middle of its last write has written the beginning', () => {
  const records = [
    record('o', 'a'),
    record('w', 'a', 0, 'abcdef'),
    record('f', '.'),
    record('f', 'a'),
    record('w', 'a', 2, 'xyzw'),
  ];
  const states = statesAfter(records, { a: 'abxyef' });
  expect(states).toHaveLength(2);
  expect(states).toEqual(expect.arrayContaining([{ a: 'abcdef' }, { a: 'abxyef' }]));
  expect(() => statesAfter(records, { a: 'abxyeF' })).toThrow("doesn't agree");
});

test('a write that was not reported is an error: then no power cut can be simulated', () => {
  writeFileSync(join(folder, 'a'), 'written by somebody else');
  expect(() => new Disk(folder).replay(record('o', 'a'))).toThrow("doesn't agree");
});
