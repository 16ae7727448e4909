import { join } from 'node:path';
import {
  context,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_REQUEST_RESEND_COUNT,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_NETWORK_PROTOCOL_VERSION,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_FULL,
  METRIC_HTTP_CLIENT_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions';
import { afterThisFile } from '@plant-store/test-support';
import { writeDocumented } from './support/documented.js';
import { acknowledge, fieldsOf, type RawServer, respondWith, startRawServer } from './support/raw-server.js';
import { arbitrary, openTestSender, rejection, openBoth } from './support/senders.js';

const spans = new InMemorySpanExporter();
const points = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 2 ** 31 - 1 });

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const spanProcessors = [new SimpleSpanProcessor(spans)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  afterThisFile(async () => {
    [context, propagation, trace, metrics].forEach((api) => api.disable());
    await reader.shutdown();
  });
  const documented = join(writeDocumented('docs/observability.md'), 'plant-store-telemetry.mjs');
  const { observePlantStore } = (await import(documented)) as { observePlantStore: () => void };
  observePlantStore();
});

beforeEach(async () => {
  await reader.forceFlush();
  spans.reset();
  points.reset();
});

/** Runs something while a span of the caller is active. */
async function inSpan<Result>(run: (span: Span) => Promise<Result>): Promise<Result> {
  return trace.getTracer('store').startActiveSpan('caller', async (span) => {
    try {
      return await run(span);
    } finally {
      span.end();
    }
  });
}

const named = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);

const traceparentOf = (span: ReadableSpan | Span): string => {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
};

const sentTraceparents = (server: RawServer): unknown[] =>
  server.requests.map((request) => fieldsOf(request)['traceparent']);

/** The points of a metric since the beginning of this test. */
async function pointsOf(name: string): Promise<readonly DataPoint<Histogram>[]> {
  await reader.forceFlush();
  return points
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    .filter(({ descriptor }) => descriptor.name === name)
    .flatMap(({ dataPoints }) => dataPoints as DataPoint<Histogram>[]);
}

const requestTo = ({ port }: Pick<RawServer, 'port'>): object => ({
  [ATTR_HTTP_REQUEST_METHOD]: 'POST',
  [ATTR_NETWORK_PROTOCOL_VERSION]: '1.1',
  [ATTR_SERVER_ADDRESS]: '127.0.0.1',
  [ATTR_SERVER_PORT]: port,
});

const refuse = respondWith('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');

test('a delivery is a span in the trace of its caller, and its request is a client span below it', async () => {
  const { server, sender } = await openBoth(acknowledge);

  const caller = await inSpan(async (span) => {
    await sender.send(arbitrary);
    return span.spanContext();
  });

  const [delivery] = named('send new plant');
  const [attempt] = named('POST');
  expect(delivery).toMatchObject({
    kind: SpanKind.INTERNAL,
    parentSpanContext: caller,
    status: { code: SpanStatusCode.UNSET },
  });
  expect(attempt).toMatchObject({
    kind: SpanKind.CLIENT,
    parentSpanContext: delivery!.spanContext(),
    status: { code: SpanStatusCode.UNSET },
  });
  expect(attempt!.attributes).toEqual({
    ...requestTo(server),
    [ATTR_URL_FULL]: `${server.url}/plant/webhook`,
    [ATTR_HTTP_RESPONSE_STATUS_CODE]: 204,
  });
  expect(sentTraceparents(server)).toEqual([traceparentOf(attempt!)]);
});

test('each request of a delivery that is retried has its own span, and sends it as traceparent', async () => {
  const server = await startRawServer((request, index) => (index === 0 ? refuse : acknowledge)(request));
  const retry = { delays: [1], statuses: [503], withoutResponse: false };
  const sender = openTestSender({ baseUrl: server.url, retry });

  await inSpan(() => sender.send(arbitrary));

  const [delivery] = named('send new plant');
  const attempts = named('POST');
  expect(attempts.map(({ parentSpanContext }) => parentSpanContext)).toEqual(
    attempts.map(() => delivery!.spanContext()),
  );
  expect(sentTraceparents(server)).toEqual(attempts.map(traceparentOf));
  expect(attempts[0]!.status.code).toBe(SpanStatusCode.ERROR);
  expect(attempts.map(({ attributes }) => attributes)).toMatchObject([
    { [ATTR_HTTP_RESPONSE_STATUS_CODE]: 503, [ATTR_ERROR_TYPE]: '503' },
    { [ATTR_HTTP_RESPONSE_STATUS_CODE]: 204, [ATTR_HTTP_REQUEST_RESEND_COUNT]: 1 },
  ]);
  expect(attempts[0]!.attributes).not.toHaveProperty([ATTR_HTTP_REQUEST_RESEND_COUNT]);
  expect(delivery!.status.code).toBe(SpanStatusCode.UNSET);
  expect(delivery!.events).toMatchObject([
    { name: 'retry', attributes: { [ATTR_ERROR_TYPE]: 'PLANT_STORE_NOT_ACKNOWLEDGED' } },
  ]);
});

test('a request without a response has the code of the error', async () => {
  const { sender } = await openBoth(({ socket }) => socket.destroy());

  await rejection(sender.send(arbitrary));

  for (const [span] of [named('POST'), named('send new plant')]) {
    expect(span!.status.code).toBe(SpanStatusCode.ERROR);
    expect(span!.attributes).toMatchObject({ [ATTR_ERROR_TYPE]: 'PLANT_STORE_CONNECTION_LOST' });
    expect(span!.attributes).not.toHaveProperty([ATTR_HTTP_RESPONSE_STATUS_CODE]);
  }
});

test('the durations of requests and deliveries are metrics', async () => {
  const { server, sender } = await openBoth((request, index) =>
    (index === 0 ? refuse : acknowledge)(request),
  );

  await rejection(sender.send(arbitrary));
  await sender.send(arbitrary);
  await sender.send(arbitrary);

  const requests = await pointsOf(METRIC_HTTP_CLIENT_REQUEST_DURATION);
  expect(requests.map(({ attributes, value }) => [attributes, value.count])).toEqual([
    [{ ...requestTo(server), [ATTR_HTTP_RESPONSE_STATUS_CODE]: 503, [ATTR_ERROR_TYPE]: '503' }, 1],
    [{ ...requestTo(server), [ATTR_HTTP_RESPONSE_STATUS_CODE]: 204 }, 2],
  ]);
  // The boundaries of the conventions are in seconds.
  expect(requests[0]!.value.buckets.boundaries).toEqual([
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]);
  expect(requests[0]!.value.sum).toBeLessThan(60);
  const deliveries = await pointsOf('plant_store.delivery.duration');
  const outcome = 'plant_store.delivery.outcome';
  expect(deliveries.map(({ attributes, value }) => [attributes, value.count])).toEqual([
    [{ [outcome]: 'responded', [ATTR_ERROR_TYPE]: 'PLANT_STORE_NOT_ACKNOWLEDGED' }, 1],
    [{ [outcome]: 'acknowledged' }, 2],
  ]);
});
