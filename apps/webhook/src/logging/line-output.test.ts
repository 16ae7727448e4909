import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { LineOutput } from './line-output.js';

/** A whole page of a pipe, so that a pipe takes a line or nothing of it. */
const PAGE = 4_096;

/** What a pipe takes while nobody reads. */
const PIPE = 16 * PAGE;

/** What a `LineOutput` keeps while it can't write. */
const MAX_WAITING = 4_194_304;

const line = (number: number): string => `${String(number).padEnd(PAGE - 1, '.')}\n`;

/** Writes numbered lines, each of a page. */
function writeLines(output: LineOutput, from: number, to: number): void {
  for (let number = from; number < to; number += 1) output.write(line(number));
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/** The numbers of whole lines, and other lines as they are. */
function parse(text: string): unknown[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((each) => (each.startsWith('{') ? (JSON.parse(each) as unknown) : Number.parseInt(each, 10)));
}

const missing = (dropped: number): unknown => ({
  level: 'warn',
  time: expect.any(String),
  dropped,
  msg: 'the log could not be written; lines are missing before this one',
});

/** A pipe with a name, whose reader reads when the test says so. */
class Pipe {
  readonly #path = join(makeFolder(), 'pipe');
  #reader: number | undefined;

  constructor() {
    execFileSync('mkfifo', [this.#path]);
    this.openReader();
  }

  openReader(): void {
    this.#reader = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  closeReader(): void {
    if (this.#reader !== undefined) closeSync(this.#reader);
    this.#reader = undefined;
  }

  openOutput(): LineOutput {
    afterThisTest(() => this.closeReader());
    return new LineOutput(openSync(this.#path, 'w'));
  }

  /** Everything that is in the pipe now. */
  read(): string {
    const bytes = Buffer.alloc(PIPE);
    try {
      return bytes.toString('latin1', 0, readSync(this.#reader!, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
      throw error;
    }
  }

  /** Reads until the text ends with this. */
  async readUntil(end: string): Promise<string> {
    let text = '';
    for (; !text.endsWith(end); text += this.read()) await new Promise(setImmediate);
    return text;
  }
}

describe('a pipe', () => {
  test('has a line as soon as it was written', () => {
    const pipe = new Pipe();
    const output = pipe.openOutput();

    output.write('first\n');
    expect(pipe.read()).toBe('first\n');
    output.write('second\n');
    expect(pipe.read()).toBe('second\n');
  });

  test('whose reader stalls gets every line later, whole and in order', async () => {
    const pipe = new Pipe();
    const output = pipe.openOutput();

    writeLines(output, 0, 500);

    expect(parse(await pipe.readUntil(line(499)))).toEqual(numbers(0, 500));
  });

  test('whose reader stalls for longer gets the first lines, the number of dropped ones, and the next', async () => {
    const pipe = new Pipe();
    const output = pipe.openOutput();
    const kept = (PIPE + MAX_WAITING) / PAGE;

    writeLines(output, 0, kept + 10);
    const first = await pipe.readUntil('before this one"}\n');
    output.write(line(7_000));

    expect(parse(first)).toEqual([...numbers(0, kept), missing(10)]);
    expect(parse(pipe.read())).toEqual([7_000]);
  });

  test('takes lines again when another reader comes', async () => {
    const pipe = new Pipe();
    const output = pipe.openOutput();

    pipe.closeReader();
    writeLines(output, 0, 3);
    pipe.openReader();
    writeLines(output, 3, 5);

    expect(parse(await pipe.readUntil(line(4)))).toEqual(numbers(0, 5));
  });

  test('whose reader stalls gets what it has room for at the end', () => {
    const pipe = new Pipe();
    const output = pipe.openOutput();

    writeLines(output, 0, 100);
    output.flushSync();
    expect(parse(pipe.read())).toEqual(numbers(0, 16));
    output.flushSync();
    expect(parse(pipe.read())).toEqual(numbers(16, 32));
  });
});

test('a file has every line, whole and in order', async () => {
  const path = join(makeFolder(), 'file');
  const output = new LineOutput(openSync(path, 'w'));

  writeLines(output, 0, 500);
  while (statSync(path).size < 500 * PAGE) await new Promise(setImmediate);

  expect(parse(readFileSync(path, 'latin1'))).toEqual(numbers(0, 500));
});

test('a full disk is no error', () => {
  const output = new LineOutput(openSync('/dev/full', 'w'));

  writeLines(output, 0, 2_000);
  output.flushSync();
});
