/** Runs the examples of docs/observability.md. */
import { join } from 'node:path';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
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
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { afterThisFile } from '@plant-store/test-support';
import { writeDocumented } from './support/documented.js';
import { acknowledge, fieldsOf, inTurn, respond, startRawServer } from './support/raw-server.js';
import { arbitrary, openBoth, openTestSender, rejection } from './support/senders.js';

const points = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 2 ** 31 - 1 });
const folder = writeDocumented('docs/observability.md');

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  afterThisFile(async () => {
    [context, propagation, trace, metrics].forEach((api) => api.disable());
    await reader.shutdown();
  });
});

test('observe.mjs records the duration of each delivery by its outcome, and logs what failed', async () => {
  await import(join(folder, 'observe.mjs'));
  const logged = import.meta.jest.spyOn(console, 'error').mockImplementation(() => {});
  const { server, sender } = await openBoth(inTurn(acknowledge, respond(400)));

  await sender.send(arbitrary);
  await rejection(sender.send(arbitrary));
  await reader.forceFlush();

  const [metric] = points.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics[0]!.metrics);
  expect(metric!.descriptor).toMatchObject({ name: 'plant_store.delivery.duration', unit: 's' });
  const recorded = metric!.dataPoints as DataPoint<Histogram>[];
  expect(recorded.map(({ attributes }) => attributes['plant_store.delivery.outcome'])).toEqual([
    'acknowledged',
    'responded',
  ]);
  const url = `${server.url}/plant/webhook`;
  expect(logged.mock.calls).toEqual([[url, 'PLANT_STORE_NOT_ACKNOWLEDGED', 'responded']]);
});

test('the `headers` function of send-traced.mjs sends the active span, whichever connection is free', async () => {
  const server = await startRawServer(acknowledge);
  const headers = (): Record<string, string> => {
    const fields = {};
    propagation.inject(context.active(), fields);
    return fields;
  };
  const sender = openTestSender({ baseUrl: server.url, maxConnections: 1, headers });

  const spans = await Promise.all(
    ['first', 'second', 'third'].map((plant) =>
      trace.getTracer('store').startActiveSpan(plant, async (span) => {
        await sender.send(plant);
        return [plant, span.spanContext().spanId];
      }),
    ),
  );

  const sent = server.requests.map((request) => [
    request.content.toString(),
    fieldsOf(request)['traceparent']!.split('-')[2],
  ]);
  expect(sent).toEqual(spans);
});
