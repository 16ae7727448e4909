import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeFolder } from '@plant-store/test-support';

import { openConnection } from '../support/connection.js';
import { ROOT } from '../support/development.js';
import { expectResponse } from '../support/expect-response.js';
import { ACCESS_TOKEN, message, POST, RIGHT } from '../support/messages.js';
import { poisonSettings, untilNothingWaits } from '../support/poison.js';
import {
  everythingOpen,
  LoggingProcess,
  type LogEntry,
  type RunningReceiver,
  startReceiver,
} from '../support/receiver.js';

/** The example of W3C Trace Context. */
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';

const ATTEMPT = 'process /plant/webhook';

/** Replaces the documented exporters: spans become lines of the log, and metrics are dropped. */
const EXPORTERS = `
const line = ({ name, parentSpanContext: parent, status }, { traceId, spanId }) =>
  JSON.stringify({ msg: 'span', name, traceId, spanId, parent: parent?.spanId, status: status.code }) + '\\n';
class OTLPTraceExporter {
  export(spans, done) {
    for (const span of spans) process.stdout.write(line(span, span.spanContext()));
    done({ code: 0 });
  }
  shutdown = () => Promise.resolve();
}
class OTLPMetricExporter extends OTLPTraceExporter {
  export = (_, done) => done({ code: 0 });
  forceFlush = () => Promise.resolve();
}
`;

/** The documented programs of a page, by their names. */
function programsOf(page: string): Map<string, string> {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const programs = [...text.matchAll(/```js\n(\/\/ (\S+\.mjs)\n.*?)```/gs)];
  return new Map(
    programs.map(([, code, name]) => [
      name!,
      EXPORTERS + code!.replaceAll(/^import \{ OTLP\w+ \}.*\n/gm, ''),
    ]),
  );
}

/** Starts a receiver with the documented instrumentation. */
function startTraced(): Promise<RunningReceiver> {
  const folder = makeFolder();
  // The receiver's packages, not those of this project.
  const { resolve } = createRequire(join(ROOT, 'apps/webhook/package.json'));
  const instrumentation = programsOf('docs/handler.md')
    .get('instrumentation.mjs')!
    .replaceAll(
      /from '(@opentelemetry[^']*)'/g,
      (_, name: string) => `from '${pathToFileURL(resolve(name)).href}'`,
    );
  const file = join(folder, 'instrumentation.mjs');
  writeFileSync(
    file,
    `${instrumentation}\nglobalThis.call = () => trace.getTracer('arbitrary').startSpan('call').end();\n`,
  );
  const settings = {
    ...poisonSettings,
    NODE_OPTIONS: `${poisonSettings['NODE_OPTIONS']} --import=${file}`,
    HANDLER_MAX_ATTEMPTS: '1',
    HANDLER_CONCURRENCY: '1',
  };
  return startReceiver({ folder, settings });
}

async function send({ port }: RunningReceiver, content: string, traceparent?: string): Promise<void> {
  const connection = await openConnection(port);
  const fields = traceparent === undefined ? [RIGHT] : [RIGHT, `traceparent: ${traceparent}`];
  connection.write(message(POST, fields, content));
  expectResponse(await connection.response(), { status: 204 });
}

/** Waits until everything is handled or parked, stops the receiver, and returns the spans. */
async function spansOf({ process, inbox }: RunningReceiver): Promise<readonly LogEntry[]> {
  await untilNothingWaits(inbox);
  expect(await process.stop()).toEqual({ code: 0, signal: null });
  return process.entries('span');
}

test('what the handler calls is in the trace of the sender, if there is a valid one', async () => {
  const receiver = await startTraced();
  await send(receiver, 'call', `00-${TRACE}-${SENDER}-01`);
  await send(receiver, 'call');
  await send(receiver, 'call', 'invalid');
  const spans = await spansOf(receiver);

  const attempts = spans.filter(({ name }) => name === ATTEMPT);
  const calls = spans.filter(({ name }) => name === 'call');
  expect(attempts.map(({ parent }) => parent)).toEqual([SENDER, undefined, undefined]);
  expect(attempts[0]).toMatchObject({ traceId: TRACE });
  expect(new Set(attempts.map(({ traceId }) => traceId)).size).toBe(3);
  expect(calls).toMatchObject(attempts.map(({ traceId, spanId }) => ({ traceId, parent: spanId })));
});

test("the span of the SDK's request is the parent of the handler's span", async () => {
  const receiver = await startTraced();
  const folder = makeFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const programs = programsOf('libs/sdk/docs/observability.md').set('sender.mjs', SENDER_PROGRAM);
  for (const [name, code] of programs) writeFileSync(join(folder, name), code);
  const sender = new LoggingProcess(
    [process.execPath, '--import', join(folder, 'instrumentation.mjs'), join(folder, 'sender.mjs')],
    { environment: { ...everythingOpen, RECEIVER_URL: receiver.origin, ACCESS_TOKEN }, folder },
  );
  expect(await sender.exit).toEqual({ code: 0, signal: null });

  const spans = [...sender.entries('span'), ...(await spansOf(receiver))];
  const [caller, delivery, request, attempt] = ['caller', 'send new plant', 'POST', ATTEMPT].map((name) =>
    spans.find((span) => span['name'] === name)!,
  );
  const traceId = caller!['traceId'];
  expect(delivery).toMatchObject({ traceId, parent: caller!['spanId'] });
  expect(request).toMatchObject({ traceId, parent: delivery!['spanId'] });
  expect(attempt).toMatchObject({ traceId, parent: request!['spanId'] });
});

const SENDER_PROGRAM = `
import { trace } from '@opentelemetry/api';
import { bytes, createNewPlantSender } from '@plant-store/sdk';

const { RECEIVER_URL: baseUrl, ACCESS_TOKEN: accessToken } = process.env;
const sender = createNewPlantSender({ baseUrl, accessToken, method: 'POST', encode: bytes('text/plain') });
await trace.getTracer('store').startActiveSpan('caller', async (span) => {
  await sender.send('arbitrary');
  span.end();
});
await sender.close();
`;

test('without @opentelemetry/api, deliveries are handled', async () => {
  const file = join(makeFolder(), 'not-installed.mjs');
  writeFileSync(file, NOT_INSTALLED);
  const settings = { NODE_OPTIONS: `${poisonSettings['NODE_OPTIONS']} --import=${file}` };
  const receiver = await startReceiver({ settings });
  await send(receiver, 'show');
  await receiver.process.logged('shown');

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
