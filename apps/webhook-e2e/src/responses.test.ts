import { readFileSync } from 'node:fs';

import { facts } from '@plant-store/contract';
import { afterThisFile, tableOf } from '@plant-store/test-support';

import { openConnection, type RawResponse } from '../support/connection.js';
import { delivery, head, HOST, POST, RIGHT } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const page = readFileSync(new URL('../../../docs/reference/responses.md', import.meta.url), 'utf8');
const rows = tableOf(page, 'Request').map(([request, response, connection]) => ({
  request: request!,
  response: response!,
  connection: connection!,
}));

const SETTINGS = {
  MAX_CONTENT_BYTES: '1000',
  MAX_CONTENT_BYTES_IN_FLIGHT: '1000',
  REQUEST_TIMEOUT_MS: '4000',
};
const MORE_THAN_HALF = 'a'.repeat(600);

/** What gets the response of a row: bytes to send, or a request while the receiver is in the state of the row. */
type Example = string | ((receiver: RunningReceiver) => Promise<RawResponse>);

const examples: Readonly<Record<string, Example>> = {
  'with an accepted token and content': delivery(),
  'to another path': head('GET / HTTP/1.1', HOST),
  "to a path that can't be decoded, such as `/%zz`": head('GET /%zz HTTP/1.1', HOST),
  'without `Authorization`, or with another scheme': head(POST, HOST, 'Authorization: Basic YTpi'),
  'with the bearer scheme but not exactly one token, or with two `Authorization` fields': head(
    POST,
    HOST,
    RIGHT,
    RIGHT,
  ),
  "with a token that isn't accepted": head(POST, HOST, 'Authorization: Bearer wrong'),
  'with an accepted token, and another method than POST, PUT or PATCH': head(
    `GET ${facts.DELIVERY_PATH} HTTP/1.1`,
    HOST,
    RIGHT,
  ),
  'with an accepted token, and no content': head(POST, HOST, RIGHT),
  'with more content than `MAX_CONTENT_BYTES`': delivery('a'.repeat(1_001)),
  'that takes longer than `REQUEST_TIMEOUT_MS` to arrive': delivery().slice(0, -1),
  "while the inbox can't write, or `MAX_CONTENT_BYTES_IN_FLIGHT` is used up": async (receiver) => {
    await receiveHalf(receiver);
    return respond(receiver, delivery(MORE_THAN_HALF));
  },
};

describe('the table of responses in docs/reference/responses.md', () => {
  let receiver: RunningReceiver;

  beforeAll(async () => {
    receiver = await startReceiver({ settings: SETTINGS, cleanUp: afterThisFile });
  });

  test('has a row for each example, and no other', () => {
    expect(rows.map(({ request }) => request)).toEqual(Object.keys(examples));
  });

  test.each(rows)('is right: $request → $response $connection', async ({ request, response, connection }) => {
    const example = examples[request]!;

    const actual = await (typeof example === 'string' ? respond(receiver, example) : example(receiver));

    expect(actual.line).toMatch(`HTTP/1.1 ${/^\d+/.exec(response)![0]} `);
    const fields = actual.fields.map((field) => field.toLowerCase());
    const documented = [...response.matchAll(/`(.*?)`/g)].map(([, field]) => field!.toLowerCase());
    const closes = fields.includes('connection: close');
    expect(['may close', closes ? 'closes' : '']).toContain(connection);
    for (const field of documented) {
      // Of `Allow`, the table gives the name alone.
      expect(fields.filter((line) => line === field || line.startsWith(`${field}:`))).toHaveLength(1);
    }
  });
});

async function respond({ port }: RunningReceiver, bytes: string): Promise<RawResponse> {
  const connection = await openConnection(port);
  connection.write(bytes);
  return connection.response();
}

/** Begins a delivery, and waits until the receiver has read more than half of its content. */
async function receiveHalf(receiver: RunningReceiver): Promise<void> {
  const connection = await openConnection(receiver.port);
  connection.write(head(POST, HOST, RIGHT, 'Content-Length: 1000') + MORE_THAN_HALF);
  // It reads in order of arrival.
  await respond(receiver, head(POST, HOST));
}
