import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { openConnection } from '../support/connection.js';
import { ROOT } from '../support/development.js';
import { expectResponse } from '../support/expect-response.js';
import { ACCESS_TOKEN, message, POST, RIGHT } from '../support/messages.js';
import { poisonSettings, untilNothingWaits } from '../support/poison.js';
import { TestProcess } from '../support/process.js';
import {
  everythingOpen,
  inboxOf,
  type LogEntry,
  type RunningReceiver,
  startReceiver,
} from '../support/receiver.js';

/** The example of W3C Trace Context. */
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';

const ATTEMPT = 'process /plant/webhook';

/** The documented file, with an exporter that prints a line for each span, and with a call for the handler. */
function makeInstrumentation(): string {
  const handlerPage = readFileSync(join(ROOT, 'docs/handler.md'), 'utf8');
  const [, documented = ''] = /```js\n(\/\/ instrumentation\.mjs\n.*?)```/s.exec(handlerPage) ?? [];
  // The receiver's packages, not those of this project.
  const { resolve } = createRequire(join(ROOT, 'apps/webhook/package.json'));
  const changed = documented
    .replace(/^import \{ OTLPTraceExporter \}.*\n/m, '')
    .replace('new OTLPTraceExporter()', 'printing')
    .replaceAll(
      /from '(@opentelemetry[^']*)'/g,
      (_, name: string) => `from '${pathToFileURL(resolve(name)).href}'`,
    );
  const file = join(makeFolder(), 'instrumentation.mjs');
  writeFileSync(file, PRINTING + changed + CALL);
  return file;
}

const PRINTING = `
const printing = {
  export(spans, done) {
    for (const span of spans) {
      const { name, parentSpanContext: parent, status } = span;
      const { traceId, spanId } = span.spanContext();
      const line = { msg: 'span', name, traceId, spanId, parent: parent?.spanId, status: status.code };
      process.stdout.write(JSON.stringify(line) + '\\n');
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};
`;

const CALL = `
globalThis.call = () => trace.getTracer('arbitrary').startSpan('call').end();
`;

/** Handles deliveries with these contents and `traceparent`s, then stops, and returns the spans. */
async function spansOf(
  folder: string,
  ...deliveries: readonly (readonly [content: string, traceparent?: string])[]
): Promise<readonly LogEntry[]> {
  const settings = {
    ...poisonSettings,
    NODE_OPTIONS: `${poisonSettings['NODE_OPTIONS']} --import=${makeInstrumentation()}`,
    HANDLER_MAX_ATTEMPTS: '1',
    HANDLER_CONCURRENCY: '1',
  };
  const receiver = await startReceiver({ folder, settings });
  const connection = await openConnection(receiver.port);
  for (const [content, traceparent] of deliveries) {
    const fields = traceparent === undefined ? [RIGHT] : [RIGHT, `traceparent: ${traceparent}`];
    connection.write(message(POST, fields, content));
    expectResponse(await connection.response(), { status: 204 });
  }
  await untilNothingWaits(receiver.inbox);
  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
  return receiver.process.entries('span');
}

describe('with the documented instrumentation', () => {
  test('what the handler calls is in the trace of the sender, if there is a valid one', async () => {
    const spans = await spansOf(
      makeFolder(),
      ['call', `00-${TRACE}-${SENDER}-01`],
      ['call'],
      ['call', 'invalid'],
    );

    const attempts = spans.filter(({ name }) => name === ATTEMPT);
    const calls = spans.filter(({ name }) => name === 'call');
    expect(attempts.map(({ parent }) => parent)).toEqual([SENDER, undefined, undefined]);
    expect(attempts[0]).toMatchObject({ traceId: TRACE });
    expect(new Set(attempts.map(({ traceId }) => traceId)).size).toBe(3);
    expect(calls).toMatchObject(attempts.map(({ traceId, spanId }) => ({ traceId, parent: spanId })));
  });

  test('a delivery that was parked and is replayed is in the trace of its sender again', async () => {
    const folder = makeFolder();
    const first = await spansOf(folder, ['throw an error', `00-${TRACE}-${SENDER}-01`]);
    replayParked(inboxOf(folder));
    const second = await spansOf(folder);

    const attempt = { name: ATTEMPT, traceId: TRACE, parent: SENDER, status: 2 };
    expect([...first, ...second]).toMatchObject([attempt, attempt]);
  });
});

test("the span of the SDK's request is the parent of the handler's span", async () => {
  const settings = {
    ...poisonSettings,
    NODE_OPTIONS: `${poisonSettings['NODE_OPTIONS']} --import=${makeInstrumentation()}`,
  };
  const receiver = await startReceiver({ settings });
  const sent = await exportsOfSender(receiver, 'call');
  await untilNothingWaits(receiver.inbox);
  await receiver.process.stop();

  const [caller, delivery, request] = ['caller', 'send new plant', 'POST'].map((name) =>
    sent.find((span) => span['name'] === name)!,
  );
  const traceId = caller!['traceId'];
  expect(delivery).toMatchObject({ traceId, parent: caller!['spanId'] });
  expect(request).toMatchObject({ traceId, parent: delivery!['spanId'] });
  const metrics = sent.filter(({ msg }) => msg === 'metric').map(({ name }) => name);
  expect(metrics).toEqual(['http.client.request.duration', 'plant_store.delivery.duration']);
  const handled = receiver.process.entries('span').find(({ name }) => name === ATTEMPT);
  expect(handled).toMatchObject({ traceId, parent: request!['spanId'] });
});

/**
 * Sends content with the SDK and the instrumentation that its page documents. Returns what that process exported before
 * it ended.
 */
async function exportsOfSender({ origin }: RunningReceiver, content: string): Promise<readonly Line[]> {
  const folder = makeFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const page = readFileSync(join(ROOT, 'libs/sdk/docs/observability.md'), 'utf8');
  for (const [, code = '', name = ''] of page.matchAll(/```js\n(\/\/ (\S+\.mjs)\n.*?)```/gs)) {
    const changed = code
      .replaceAll(/^import \{ OTLP\w+ \}.*\n/gm, '')
      .replace('new OTLPTraceExporter()', 'printing')
      .replace('new OTLPMetricExporter()', 'printingMetrics');
    writeFileSync(join(folder, name), PRINTING + PRINTING_METRICS + changed);
  }
  const file = join(folder, 'sender.mjs');
  writeFileSync(file, SENDER_PROGRAM);
  const environment = { ...everythingOpen, RECEIVER_URL: origin, ACCESS_TOKEN, CONTENT: content };
  const options = { environment, folder };
  const sender = new TestProcess(
    [process.execPath, '--import', join(folder, 'instrumentation.mjs'), file],
    options,
  );
  expect(await sender.exit).toEqual({ code: 0, signal: null });
  return sender.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const PRINTING_METRICS = `
const printingMetrics = {
  export({ scopeMetrics }, done) {
    for (const { descriptor } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
      process.stdout.write(JSON.stringify({ msg: 'metric', name: descriptor.name }) + '\\n');
    }
    done({ code: 0 });
  },
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};
`;

type Line = Readonly<Record<string, unknown>>;

const SENDER_PROGRAM = `
import { trace } from '@opentelemetry/api';
import { bytes, createNewPlantSender } from '@plant-store/sdk';

const { RECEIVER_URL: baseUrl, ACCESS_TOKEN: accessToken, CONTENT: content } = process.env;
const sender = createNewPlantSender({ baseUrl, accessToken, method: 'POST', encode: bytes('text/plain') });
await trace.getTracer('store').startActiveSpan('caller', async (span) => {
  await sender.send(content);
  span.end();
});
await sender.close();
`;

test('without @opentelemetry/api, deliveries are handled', async () => {
  const file = join(makeFolder(), 'not-installed.mjs');
  writeFileSync(file, NOT_INSTALLED);
  const settings = { NODE_OPTIONS: `${poisonSettings['NODE_OPTIONS']} --import=${file}` };
  const receiver = await startReceiver({ settings });
  const connection = await openConnection(receiver.port);
  connection.write(message(POST, [RIGHT], 'show'));
  await receiver.process.logged('shown');
  await untilNothingWaits(receiver.inbox);

  expect(receiver.process.entries('looked for')).toHaveLength(1);
  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
});

const NOT_INSTALLED = `
import { register } from 'node:module';

register('data:text/javascript,' + encodeURIComponent(\`
  import { writeSync } from 'node:fs';
  export function resolve(specifier, context, next) {
    if (specifier !== '@opentelemetry/api') return next(specifier, context);
    writeSync(1, JSON.stringify({ msg: 'looked for' }) + '\\\\n');
    throw Object.assign(new Error('not installed on purpose'), { code: 'ERR_MODULE_NOT_FOUND' });
  }\`));
`;

/** As the inbox is documented, while no receiver runs. */
function replayParked(inbox: string): void {
  const database = new Database(join(inbox, 'inbox.sqlite'));
  database.exec(`
    BEGIN;
    INSERT INTO backlog (delivery_id, due_at, failures, error) SELECT delivery_id, 0, 0, error FROM parked;
    DELETE FROM parked;
    COMMIT;`);
  database.close();
}
