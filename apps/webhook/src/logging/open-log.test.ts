import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import type { Line } from '../../test/record-log.js';
import { openLog } from './open-log.js';

const NON_BLOCKING = constants.O_NONBLOCK;

/** So many lines of 4 KiB are more than a pipe holds (64 KiB), and so many more than are kept. */
const MORE_THAN_A_PIPE = 100;
const MORE_THAN_KEPT = 2_000;

/** A pipe with a name, whose reader reads when the test says so. */
class Pipe {
  readonly #path = join(makeFolder(), 'pipe');
  #reader: number;
  #text = '';

  constructor() {
    execFileSync('mkfifo', [this.#path]);
    this.#reader = openSync(this.#path, constants.O_RDONLY | NON_BLOCKING);
    afterThisTest(() => closeSync(this.#reader));
  }

  openWriter(): number {
    return openSync(this.#path, constants.O_WRONLY | NON_BLOCKING);
  }

  replaceReader(whileThereIsNone: () => void): void {
    closeSync(this.#reader);
    whileThereIsNone();
    this.#reader = openSync(this.#path, constants.O_RDONLY | NON_BLOCKING);
  }

  /** What came until now. */
  readLines(): Line[] {
    const bytes = Buffer.alloc(65_536);
    try {
      this.#text += bytes.toString('utf8', 0, readSync(this.#reader, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
    return this.#text.endsWith('\n') ? parse(this.#text) : [];
  }

  /** Reads until the last line has this message. */
  async readUntil(message: string): Promise<Line[]> {
    for (;;) {
      const lines = this.readLines();
      if (lines.at(-1)?.msg.startsWith(message)) return lines;
      await new Promise(setImmediate);
    }
  }
}

const parse = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

/** Opens a log, and what writes numbered lines of 4 KiB to it. */
function open(fd: number): { logger: ReturnType<typeof openLog>; write: (count: number) => void } {
  const logger = openLog('info', undefined, fd);
  const padding = '.'.repeat(4_096);
  let number = 0;
  return {
    logger,
    write: (count) => {
      for (let written = 0; written < count; written += 1) logger.info({ number: number++, padding }, 'line');
    },
  };
}

const numbersIn = (lines: readonly Line[]): unknown[] =>
  lines.filter(({ msg }) => msg === 'line').map(({ number }) => number);

const numbersTo = (end: number): number[] => Array.from({ length: end }, (_, index) => index);

test('a line is written at once, with the service, its version and the name of the receiver', () => {
  const pipe = new Pipe();
  openLog('info', 'production', pipe.openWriter()).info('arbitrary');

  expect(pipe.readLines()).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      service: 'plant-store-webhook',
      receiver: 'production',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      msg: 'arbitrary',
    },
  ]);
});

test('a reader that stalls gets every line later, whole and in order', async () => {
  const pipe = new Pipe();
  const { logger, write } = open(pipe.openWriter());

  write(MORE_THAN_A_PIPE);
  logger.info('end');

  expect(numbersIn(await pipe.readUntil('end'))).toEqual(numbersTo(MORE_THAN_A_PIPE));
});

test('a reader that stalls for longer gets what was kept, then the number of lost lines, then the next', async () => {
  const pipe = new Pipe();
  const { logger, write } = open(pipe.openWriter());

  write(MORE_THAN_KEPT);
  const lines = await pipe.readUntil('lines lost');
  logger.info('end');

  const kept = lines.length - 1;
  expect(kept).toBeGreaterThan(1_000);
  expect(numbersIn(lines)).toEqual(numbersTo(kept));
  const lost = MORE_THAN_KEPT - kept;
  expect(lines.at(-1)).toMatchObject({ level: 'error', lost, msg: `lines lost: ${lost}` });
  expect((await pipe.readUntil('end')).slice(kept + 1)).toMatchObject([{ msg: 'end' }]);
});

test('another reader gets what was written meanwhile', async () => {
  const pipe = new Pipe();
  const { logger, write } = open(pipe.openWriter());

  pipe.replaceReader(() => write(3));
  logger.info('end');

  expect(numbersIn(await pipe.readUntil('end'))).toEqual([0, 1, 2]);
});

test('a fatal line waits half a second at most for a reader', () => {
  const { logger, write } = open(new Pipe().openWriter());

  write(MORE_THAN_A_PIPE);
  logger.fatal('arbitrary');
});

test('a file has every line as soon as it was written', () => {
  const path = join(makeFolder(), 'file');
  open(openSync(path, 'w')).write(MORE_THAN_A_PIPE);

  expect(numbersIn(parse(readFileSync(path, 'utf8')))).toEqual(numbersTo(MORE_THAN_A_PIPE));
});

test('a full disk is no error', () => {
  const { logger, write } = open(openSync('/dev/full', 'w'));

  write(MORE_THAN_KEPT);
  logger.fatal('arbitrary');
});
