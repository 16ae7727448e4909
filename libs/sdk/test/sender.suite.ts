import { bytes, NotAcknowledgedError, PlantStoreError } from '../src/index.js';
import type { SenderOptionsUnder, SenderUnder } from '../src/sender-under.js';
import type { FakeReply } from '../src/testing/index.js';
import { accessToken, arbitrary, type Open, rejection } from './support/senders.js';

type Plant = string | Uint8Array;

/** The replies to the requests of a sender, in order. */
export type Script = readonly FakeReply[];

/** Options of a sender, but for where it sends. */
export type SuiteOptions = Omit<SenderOptionsUnder<Plant, Open>, 'baseUrl'>;

/** Opens a sender whose requests get these replies. It ends with the test. */
export type OpenScripted = (script: Script, options: SuiteOptions) => Promise<SenderUnder<Plant, Open>>;

/** What every sender does, whether or not it has a receiver. */
export function describeSender(name: string, openScripted: OpenScripted): void {
  const open = (script: Script, options: Partial<SuiteOptions> = {}): Promise<SenderUnder<Plant, Open>> =>
    openScripted(script, { accessToken, method: 'POST', encode: bytes('text/plain'), ...options });

  describe(name, () => {
    test('resolves with the response that acknowledges', async () => {
      const sender = await open([
        'acknowledge',
        { status: 200, headers: { 'x-a': 'b' }, content: 'content' },
      ]);

      const response = await sender.send(arbitrary);
      expect(response).toMatchObject({ status: 204, truncated: false });
      expect(response.content).toHaveLength(0);
      const other = await sender.send(arbitrary);
      expect(other).toMatchObject({ status: 200, headers: { 'x-a': 'b' }, truncated: false });
      expect(Buffer.from(other.content).toString()).toBe('content');
    });

    test('cuts off content that is too long', async () => {
      const sender = await open([{ status: 200, content: 'content' }], { maxResponseBytes: 3 });

      const response = await sender.send(arbitrary);
      await sender.close();

      expect(response).toMatchObject({ status: 200, truncated: true });
      expect(Buffer.from(response.content).toString()).toBe('con');
    });

    test('rejects with the response that does not acknowledge', async () => {
      const sender = await open([{ status: 503, headers: { 'x-a': 'b' }, content: 'content' }]);

      const error = await rejection(sender.send(arbitrary));

      expect(error).toBeInstanceOf(NotAcknowledgedError);
      const code = 'PLANT_STORE_NOT_ACKNOWLEDGED';
      expect(error).toMatchObject({ code, outcome: 'responded', status: 503, headers: { 'x-a': 'b' } });
      expect(Buffer.from((error as NotAcknowledgedError).content).toString()).toBe('content');
    });

    test.each([
      ['before it is sent', 'PLANT_STORE_CONNECT_FAILED', 'not-sent'],
      ['after it was sent', 'PLANT_STORE_CONNECTION_LOST', 'unknown'],
      ['with a response that is not HTTP', 'PLANT_STORE_RESPONSE_UNREADABLE', 'unknown'],
    ] as const)(
      'rejects with the code and the outcome of a request that fails %s',
      async (_, code, outcome) => {
        const sender = await open([{ code, outcome }]);

        const error = await rejection(sender.send(arbitrary));

        expect(error).toBeInstanceOf(PlantStoreError);
        expect(error).toMatchObject({ name: 'PlantStoreError', code, outcome });
      },
    );

    test('retries', async () => {
      const lost = { code: 'PLANT_STORE_CONNECTION_LOST', outcome: 'unknown' } as const;
      const retry = { delays: [0, 0, 0], statuses: [503], withoutResponse: true };
      const sender = await open(
        [{ status: 503 }, lost, 'acknowledge', { status: 503 }, lost, { status: 400 }],
        {
          retry,
        },
      );

      expect(await sender.send(arbitrary)).toMatchObject({ status: 204 });
      const error = await rejection(sender.send(arbitrary));
      expect(error).toMatchObject({ status: 400, outcome: 'unknown', attempts: 3 });
    });

    test('calls `accessToken` and `headers` for each attempt', async () => {
      const calls: unknown[] = [];
      const sender = await open([{ status: 503 }, 'acknowledge'], {
        retry: { delays: [0], statuses: 'all', withoutResponse: false },
        accessToken: () => (calls.push('accessToken'), accessToken),
        headers: ({ attempt }) => (calls.push(attempt), { 'x-a': 'b' }),
      });

      await sender.send(arbitrary);

      expect(calls).toEqual(['accessToken', 1, 'accessToken', 2]);
    });

    test('refuses invalid options', async () => {
      const invalid = { code: 'PLANT_STORE_INVALID_OPTIONS', outcome: 'not-sent' };
      await expect(open([], { accessToken: '', method: 'GET' as never })).rejects.toMatchObject({
        ...invalid,
        faults: [{ option: 'method' }, { option: 'accessToken' }],
      });
      const sender = await open([]);
      expect(await rejection(sender.send(arbitrary, { unknown: 1 } as object))).toMatchObject(invalid);
    });

    test('sends nothing that it can not encode', async () => {
      const sender = await open([]);

      const code = 'PLANT_STORE_ENCODE_FAILED';
      expect(await rejection(sender.send(''))).toMatchObject({ code, outcome: 'not-sent' });
      expect(await rejection(sender.send(7 as never))).toMatchObject({ code, outcome: 'not-sent' });
    });

    test('sends what was encoded before', async () => {
      const sender = await open(['acknowledge']);
      const content = Buffer.from(arbitrary);

      expect(await sender.sendEncoded({ content, mediaType: 'text/plain' })).toMatchObject({ status: 204 });
      const empty = { content: Buffer.alloc(0) };
      expect(await rejection(sender.sendEncoded(empty))).toMatchObject({ code: 'PLANT_STORE_ENCODE_FAILED' });
    });

    test('can be aborted', async () => {
      const sender = await open([]);
      const aborted = { code: 'PLANT_STORE_ABORTED', cause: 'arbitrary' };
      const controller = new AbortController();

      const failed = rejection(sender.send(arbitrary, { signal: controller.signal }));
      controller.abort('arbitrary');

      expect(await failed).toMatchObject(aborted);
      const before = sender.send(arbitrary, { signal: AbortSignal.abort('arbitrary') });
      expect(await rejection(before)).toMatchObject({ ...aborted, outcome: 'not-sent' });
    });

    test('closes after the deliveries in flight, and refuses others', async () => {
      const sender = await open(['acknowledge']);
      const order: string[] = [];
      const sent = sender.send(arbitrary).then(() => order.push('sent'));

      const closed = sender.close().then(() => order.push('closed'));
      const refused = { code: 'PLANT_STORE_SENDER_CLOSED', outcome: 'not-sent' };
      expect(await rejection(sender.send(arbitrary))).toMatchObject(refused);
      await Promise.all([sent, closed]);

      expect(order).toEqual(['sent', 'closed']);
      expect(await rejection(sender.send(arbitrary))).toMatchObject(refused);
    });

    test('closes by force, and at the end of a block', async () => {
      const sender = await open([]);
      const failed = rejection(sender.send(arbitrary));
      await sender.close({ force: true });
      expect(await failed).toMatchObject({ code: 'PLANT_STORE_ABORTED' });

      const other = await open([]);
      await other[Symbol.asyncDispose]();
      expect(await rejection(other.send(arbitrary))).toMatchObject({ code: 'PLANT_STORE_SENDER_CLOSED' });
    });
  });
}
