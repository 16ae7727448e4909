import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';

import type { AnswerValues } from '@plant-store/contract';
import { afterThisTest, type CleanUp, makeFolder, NO_HANDLER } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { composeAnswers } from '../src/answers/compose-answers.js';
import { parseConfig } from '../src/config/config.js';
import { startReceiver } from '../src/receiver.js';
import { recordLog } from './record-log.js';

/** The token that a receiver under test accepts. It has the format of the example answers. */
export const TOKEN = 'example-arbitrary-token';

/** A request. What is missing is as in a delivery that is accepted while everything is open. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Beside the right `Authorization`; an undefined one is not sent. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly content?: string | Uint8Array;
}

/** The response to it. */
export interface ReceivedResponse {
  readonly status: number;
  /** All but those that every response may have: date, connection and framing. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly content: string;
}

const OF_EVERY_RESPONSE = ['date', 'connection', 'content-length'];

/** What is stored of a delivery. */
export interface Stored {
  readonly eventId: string | null;
  readonly content: string;
}

export interface RunningReceiver {
  readonly url: string;
  readonly operationsUrl: string;
  readonly send: (sent?: Sent) => Promise<ReceivedResponse>;
  /** The content of the inbox. */
  readonly stored: () => Stored[];
}

/** The variables of a receiver with its inbox in a folder. */
export const environmentIn = (folder: string): Readonly<Record<string, string>> => ({
  PORT: '0',
  OPERATIONS_PORT: '0',
  ACCESS_TOKENS: TOKEN,
  INBOX_URL: `file:${folder}`,
  HANDLER: NO_HANDLER,
});

/**
 * Runs a receiver with these answers.
 *
 * @param cleanUp when it ends; by default after the test
 */
export async function runReceiver(
  answers: AnswerValues,
  settings: Readonly<Record<string, string>> = {},
  cleanUp: CleanUp = afterThisTest,
): Promise<RunningReceiver> {
  const folder = makeFolder(cleanUp);
  const composed = composeAnswers(answers);
  const config = parseConfig({ ...environmentIn(folder), ...settings }, composed.settings);
  const receiver = await startReceiver(config, recordLog().logger, composed);
  cleanUp(() => receiver.close());
  return {
    url: receiver.url,
    operationsUrl: receiver.operationsUrl,
    send: (sent) => send(receiver.url, sent),
    stored: () => storedIn(folder),
  };
}

async function send(
  url: string,
  { method = 'PUT', path, fields, content = 'arbitrary' }: Sent = {},
): Promise<ReceivedResponse> {
  const length = Buffer.byteLength(content);
  const all = {
    authorization: `Bearer ${TOKEN}`,
    'content-length': length === 0 ? undefined : String(length),
    ...fields,
  };
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const options: RequestOptions = { method, agent: false, headers };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(path === undefined ? url : new URL(path, url), options, resolve)
      .on('error', reject)
      .end(content);
  });
  const body = await text(response);
  const others = Object.entries(response.headers).filter(([name]) => !OF_EVERY_RESPONSE.includes(name));
  return { status: response.statusCode as number, fields: Object.fromEntries(others), content: body };
}

function storedIn(folder: string): Stored[] {
  const database = new DatabaseSync(join(folder, 'inbox.sqlite'));
  try {
    const rows = database.prepare('SELECT event_id, content FROM delivery', { returnArrays: true }).all();
    return (rows as [string | null, Uint8Array][]).map(([eventId, content]) => ({
      eventId,
      content: Buffer.from(content).toString(),
    }));
  } finally {
    database.close();
  }
}
