import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { AnswerValues } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisTest } from '@plant-store/test-support';
import { Webhook } from 'standardwebhooks';
import type { OptionFault } from '../src/index.js';
import { acknowledge, breakOff, fieldsOf, inTurn, respond, startRawServer } from './support/raw-server.js';
import {
  arbitrary,
  arrived,
  faultsOf,
  openSenderUnder,
  rejection,
  required as options,
  unsent,
} from './support/senders.js';

interface Vector {
  readonly name: string;
  readonly key: string;
  readonly eventId: string;
  readonly timestamp: string;
  readonly content: string;
  readonly signature: string;
}
const vectorsFile = new URL('../../example-answers/signing-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(vectorsFile, 'utf8')) as readonly Vector[];
const [{ key: signingKey }] = vectors as [Vector];

const given = {
  signing: exampleAnswers.signing,
  'event-identity': exampleAnswers['event-identity'],
} as const satisfies AnswerValues;

/** The header fields of a delivery by their names. */
async function fieldsWith(key: string, eventId: string, content: string): Promise<Record<string, string>> {
  const server = await startRawServer(acknowledge);
  const sender = openSenderUnder(given, { ...options, baseUrl: server.url, signingKey: key });
  await sender.send(content, { eventId });
  return fieldsOf(await server.request(0));
}

function setClock(seconds: number): void {
  const { now } = Date;
  Date.now = () => seconds * 1_000 + 999;
  afterThisTest(() => (Date.now = now));
}

describe('a signed delivery', () => {
  test.each(vectors)('$name', async ({ key, eventId, timestamp, content, signature }) => {
    setClock(Number(timestamp));

    expect(await fieldsWith(key, eventId, content)).toMatchObject({
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    });
  });

  test.each(vectors)(
    'the Standard Webhooks library verifies it, and signs the same: $name',
    async (vector) => {
      const { key, eventId, content } = vector;
      const independent = new Webhook(key);
      const fields = await fieldsWith(key, eventId, content);
      const sentAt = new Date(Number(fields['webhook-timestamp']) * 1_000);

      expect(() => independent.verify(content, fields, { jsonParse: false })).not.toThrow();
      expect(independent.sign(eventId, sentAt, content)).toBe(fields['webhook-signature']);
      expect(() => independent.verify(`${content} `, fields, { jsonParse: false })).toThrow();
    },
  );

  test('is signed again in each attempt, with the time of that attempt', async () => {
    const server = await startRawServer((request, index) => {
      if (index === 1) return acknowledge(request);
      setClock(1_700_000_001);
      request.socket.write('HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n');
    });
    const retry = { delays: [1], statuses: [503], withoutResponse: false };
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url, signingKey, retry });
    setClock(1_700_000_000);

    await sender.send(arbitrary, { eventId: 'example' });

    const [first, second] = server.requests.map(fieldsOf) as [Record<string, string>, Record<string, string>];
    expect([first['webhook-timestamp'], second['webhook-timestamp']]).toEqual(['1700000000', '1700000001']);
    expect(first['webhook-signature']).not.toBe(second['webhook-signature']);
    expect(first['webhook-id']).toBe(second['webhook-id']);
  });
});

test('a delivery is signed after an asynchronous headers function, with the time at which it is sent', async () => {
  const server = await startRawServer(acknowledge);
  const headers = async (): Promise<Record<string, string>> => {
    await Promise.resolve();
    setClock(1_700_000_001);
    return { 'x-arbitrary': 'value' };
  };
  const sender = openSenderUnder(given, { ...options, baseUrl: server.url, signingKey, headers });
  setClock(1_700_000_000);

  await sender.send(arbitrary, { eventId: 'example' });

  const fields = fieldsOf(await server.request(0));
  expect(fields).toMatchObject({ 'webhook-timestamp': '1700000001', 'x-arbitrary': 'value' });
  expect(() => new Webhook(signingKey).verify(arbitrary, fields, { jsonParse: false })).not.toThrow();
});

describe('a function as signing key', () => {
  test('is called for each attempt', async () => {
    const server = await startRawServer(inTurn(respond(503), acknowledge));
    const keys = ['whsec_YQ==', signingKey];
    const retry = { delays: [1], statuses: [503], withoutResponse: false };
    const key = (): string => keys.shift()!;
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url, signingKey: key, retry });

    await sender.send(arbitrary, { eventId: 'example' });

    for (const [index, each] of ['whsec_YQ==', signingKey].entries()) {
      const fields = fieldsOf(server.requests[index]!);
      expect(() => new Webhook(each).verify(arbitrary, fields, { jsonParse: false })).not.toThrow();
    }
  });

  test.each<[string, () => string]>([
    [
      'throws',
      () => {
        throw new Error('whsec_s3cret');
      },
    ],
    ['returns a key in another form', () => 's3cret'],
    ['returns a promise', () => Promise.reject(new Error('s3cret')) as never],
  ])('that %s ends the delivery, and its key is in no error', async (_, key) => {
    const error = await unsent({ given, options: { signingKey: key }, sendOptions: { eventId: 'example' } });

    expect(error.code).toBe('PLANT_STORE_SIGNING_KEY_FAILED');
    expect(inspect(error, { depth: 20 }) + JSON.stringify(error)).not.toContain('s3cret');
  });
});

describe('the signing key', () => {
  function faultsOfKey(key: unknown, answers: AnswerValues = given): readonly OptionFault[] {
    const faults = faultsOf({ ...options, baseUrl: 'http://127.0.0.1:9', signingKey: key }, answers);
    expect(inspect(faults, { depth: 20 })).not.toContain('s3cret');
    return faults;
  }

  test.each([undefined, '', 'whsec_', 's3cret', 'whsec_s3cret!', 'whsec_s3cre', 1, null])(
    'is not %j',
    (key) => {
      expect(faultsOfKey(key)).toEqual([
        { option: 'signingKey', problem: expect.any(String) as string, question: 'signing' },
      ]);
    },
  );

  test.each([signingKey, 'whsec_YQ==', 'whsec_YQ'])('may be %j', (key) => {
    expect(faultsOfKey(key)).toEqual([]);
  });

  describe('of an answer with text', () => {
    const signing = { ...exampleAnswers.signing, key: { prefix: '', encoding: 'utf8' } } as const;

    test('may be any text', () => {
      expect(faultsOfKey('s3cret ÄÖÜ', { ...given, signing })).toEqual([]);
    });

    test.each(['', 's3cret,s3cret', ' s3cret', 's3cret\n', '#s3cret'])(
      'is not %j, which a receiver reads differently',
      (key) => {
        expect(faultsOfKey(key, { ...given, signing })).toMatchObject([
          { option: 'signingKey', problem: expect.stringContaining('without commas') as string },
        ]);
      },
    );
  });

  test('is no option while nothing is signed', () => {
    expect(faultsOfKey(signingKey, {})).toEqual([
      { option: 'signingKey', problem: 'is not an option of a sender.' },
    ]);
  });

  test('is printed neither with a sender nor with an error', async () => {
    const key = 'whsec_s3cretK3';
    const server = await startRawServer(breakOff);
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url, signingKey: key });

    const error = await rejection(sender.send(arbitrary, { eventId: 'example' }));

    for (const value of [sender, error]) {
      const shown = inspect(value, { depth: 20, showHidden: true, getters: false }) + JSON.stringify(value);
      expect(shown).not.toContain('s3cret');
    }
  });
});

test.each(['webhook-id', 'Webhook-Timestamp', 'WEBHOOK-SIGNATURE', 'Plant-Store-Version'])(
  'the headers function cannot return %s once an answer sets it, and can before',
  async (name) => {
    const answers = { ...given, 'request-versioning': exampleAnswers['request-versioning'] };
    const headers = (): object => ({ [name]: 'own' });

    const error = await unsent({
      given: answers,
      options: { signingKey, headers },
      sendOptions: { eventId: 'example' },
    });

    expect(error.code).toBe('PLANT_STORE_HEADERS_FAILED');
    expect(error.message).toContain(name);
    expect((await arrived({ options: { headers } })).headers).toContain(`${name}: own`);
  },
);
