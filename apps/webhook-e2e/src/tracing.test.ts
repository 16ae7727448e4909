import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { openConnection } from '../support/connection.js';
import { ROOT } from '../support/development.js';
import { expectResponse } from '../support/expect-response.js';
import { message, POST, RIGHT } from '../support/messages.js';
import { poisonSettings, untilNothingWaits } from '../support/poison.js';
import { inboxOf, type LogEntry, startReceiver } from '../support/receiver.js';

/** The example of W3C Trace Context. */
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';

const ATTEMPT = 'process /plant/webhook';

/** The documented file, with an exporter that prints a line for each span, and with a call for the handler. */
function makeInstrumentation(): string {
  const receiverPage = readFileSync(join(ROOT, 'docs/receiver.md'), 'utf8');
  const [, documented = ''] = /```js\n(\/\/ instrumentation\.mjs\n.*?)```/s.exec(receiverPage) ?? [];
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
  place: string,
  folder: string,
  ...deliveries: readonly (readonly [content: string, traceparent?: string])[]
): Promise<readonly LogEntry[]> {
  const settings = {
    ...poisonSettings,
    NODE_OPTIONS: `${poisonSettings['NODE_OPTIONS']} --import=${makeInstrumentation()}`,
    HANDLER_PROCESS: place,
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

describe.each(['receiver', 'own'])('HANDLER_PROCESS=%s, with the documented instrumentation', (place) => {
  test('what the handler calls is in the trace of the sender, if there is a valid one', async () => {
    const spans = await spansOf(
      place,
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
    const first = await spansOf(place, folder, ['throw an error', `00-${TRACE}-${SENDER}-01`]);
    replayParked(inboxOf(folder));
    const second = await spansOf(place, folder);

    const attempt = { name: ATTEMPT, traceId: TRACE, parent: SENDER, status: 2 };
    expect([...first, ...second]).toMatchObject([attempt, attempt]);
  });
});

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
