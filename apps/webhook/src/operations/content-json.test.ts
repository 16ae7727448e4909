import { text } from 'node:stream/consumers';

import type { ExportedDelivery } from '../inbox/inbox-operations.js';
import { streamJson } from './content-json.js';

const deliveryWith = (content: Uint8Array): ExportedDelivery =>
  ({ id: 1, fields: [['X-Any', '"']], content }) as unknown as ExportedDelivery;

test.each([0, 1, 2, 3, 196_607, 196_608, 196_609, 1_000_000])(
  'a content of %i bytes is there, whole',
  async (size) => {
    const content = Buffer.alloc(size, 'arbitrary');
    const deliveries = [deliveryWith(content), deliveryWith(content.subarray(size / 2))];

    const json = JSON.parse(await text(streamJson('[', deliveries, ']'))) as { content: string }[];

    expect(json).toMatchObject([{ id: 1, fields: [['X-Any', '"']] }, { id: 1 }]);
    expect(Buffer.from(json[0]!.content, 'base64').equals(content)).toBe(true);
    expect(Buffer.from(json[1]!.content, 'base64').equals(content.subarray(size / 2))).toBe(true);
  },
);

test('the event loop turns while a large content is written', async () => {
  const parts: number[] = [];
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  for await (const part of streamJson(
    '',
    [deliveryWith(Buffer.alloc(20_000_000))],
    '',
  ) as AsyncIterable<string>)
    parts.push(part.length);
  isOver = true;

  expect(Math.max(...parts)).toBeLessThan(300_000);
  expect(turns).toBeGreaterThan(100);
});
