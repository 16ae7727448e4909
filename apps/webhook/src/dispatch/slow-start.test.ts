import { recordLog } from '../../test/record-log.js';
import { sayWhileItStarts } from './slow-start.js';

const { jest } = import.meta;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const handler = '/plants/handler.mjs';

test('the log says every 10 s that a handler has not started, until it has', async () => {
  const { logger, lines } = recordLog();
  let start: (value: string) => void = () => undefined;
  const starting = new Promise<string>((resolve) => (start = resolve));
  const started = sayWhileItStarts(starting, handler, logger);

  jest.advanceTimersByTime(9_999);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(10_001);
  const line = { level: 'warn', msg: expect.stringMatching(/^the handler has not started;/), handler };
  expect(lines).toMatchObject([
    { ...line, waitedMs: 10_000 },
    { ...line, waitedMs: 20_000 },
  ]);
  start('arbitrary');
  expect(await started).toBe('arbitrary');
  expect(jest.getTimerCount()).toBe(0);
});

test('a start that fails ends it', async () => {
  const { logger } = recordLog();

  await expect(sayWhileItStarts(Promise.reject(new Error('no')), handler, logger)).rejects.toThrow('no');
  expect(jest.getTimerCount()).toBe(0);
});
