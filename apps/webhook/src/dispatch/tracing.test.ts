import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterThisTest } from '@plant-store/test-support';
import type { Delivery, DeliveryHandler, HeaderField } from '@plant-store/handler';

import { recordLog } from '../../test/record-log.js';
import { RunningAttempt } from './attempt.js';
import { openTracing } from './tracing.js';

/** The example of W3C Trace Context. */
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';
const TRACEPARENT: HeaderField = ['TraceParent', `00-${TRACE}-${SENDER}-01`];

const deliveryWith = (...fields: readonly HeaderField[]): Delivery => ({
  id: 7,
  key: '2f1c6a0e-5d0b-4f43-9a51-0c1f6f0d7b3e',
  receivedAt: 0,
  attempts: 1,
  startedAt: 0,
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  eventId: null,
  fields,
  content: Buffer.from('arbitrary'),
});

const call = (): void => trace.getTracer('arbitrary').startSpan('call').end();

describe('with an SDK', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    const spanProcessors = [new BatchSpanProcessor(exporter)];
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
    propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
  });
  afterAll(() => [trace, context, propagation].forEach((api) => api.disable()));

  /** Runs an attempt and returns its spans, the ones of the handler first. */
  async function spansOf(handle: DeliveryHandler, delivery: Delivery): Promise<ReadableSpan[]> {
    afterThisTest(() => exporter.reset());
    const tracing = await openTracing();
    try {
      await new RunningAttempt(delivery, { handle, logger: recordLog().logger, tracing }).run();
    } catch {
      // The span has the error.
    }
    await tracing!.flush();
    return exporter.getFinishedSpans();
  }

  test.each<{ name: string; handle: DeliveryHandler }>([
    { name: 'synchronous', handle: call },
    { name: 'asynchronous', handle: () => new Promise(setImmediate).then(call) },
  ])('an attempt and what a $name handler calls are in the trace of the sender', async ({ handle }) => {
    const [called, attempt] = await spansOf(handle, deliveryWith(['host', 'a'], TRACEPARENT));

    expect(attempt).toMatchObject({
      name: 'process /plant/webhook',
      kind: SpanKind.CONSUMER,
      parentSpanContext: { traceId: TRACE, spanId: SENDER, isRemote: true },
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'messaging.system': 'plant_store_webhook',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': '/plant/webhook',
        'messaging.message.id': '7',
      },
    });
    expect(called).toMatchObject({ name: 'call', parentSpanContext: attempt!.spanContext() });
  });

  test.each<{ name: string; fields: readonly HeaderField[] }>([
    { name: 'no traceparent', fields: [] },
    { name: 'an invalid traceparent', fields: [['traceparent', `00-${TRACE}-${'0'.repeat(16)}-01`]] },
    { name: 'two traceparents', fields: [TRACEPARENT, ['traceparent', `00-${TRACE}-${'1'.repeat(16)}-01`]] },
  ])('$name: the attempt has a trace of its own', async ({ fields }) => {
    const [called, attempt] = await spansOf(call, deliveryWith(...fields));

    expect(attempt!.parentSpanContext).toBeUndefined();
    expect(attempt!.spanContext().traceId).not.toBe(TRACE);
    expect(called!.parentSpanContext).toEqual(attempt!.spanContext());
  });

  test('tracestate and baggage reach the handler, whose lines are joined', async () => {
    const sent: HeaderField[] = [
      TRACEPARENT,
      ['tracestate', 'one=1'],
      ['Tracestate', 'other=2'],
      ['baggage', 'plant=rose'],
    ];
    let baggage: string | undefined;
    const [attempt] = await spansOf(
      () => {
        baggage = propagation.getActiveBaggage()?.getEntry('plant')?.value;
      },
      deliveryWith(...sent),
    );

    expect(attempt!.spanContext().traceState?.serialize()).toBe('one=1,other=2');
    expect(baggage).toBe('rose');
  });

  test.each<{ name: string; fields: readonly HeaderField[]; state?: string }>([
    { name: 'none', fields: [] },
    {
      name: 'one',
      fields: [TRACEPARENT, ['tracestate', 'one=1'], ['Tracestate', 'other=2']],
      state: 'one=1,other=2',
    },
    {
      name: 'two',
      fields: [TRACEPARENT, ['traceparent', `00-${TRACE}-${'1'.repeat(16)}-01`], ['tracestate', 'one=1']],
    },
    {
      name: 'an invalid one',
      fields: [
        ['traceparent', 'arbitrary'],
        ['tracestate', 'one=1'],
      ],
    },
  ])('a delivery with $name goes on with one traceparent, that of the attempt', async ({ fields, state }) => {
    let sent: readonly HeaderField[] = [];
    const tracing = await openTracing();
    const [attempt] = await spansOf(
      ({ fields: given }) => void (sent = tracing!.inject(given)),
      deliveryWith(['host', 'a'], ...fields),
    );

    const { traceId, spanId } = attempt!.spanContext();
    expect(sent).toEqual([
      ['host', 'a'],
      ['traceparent', `00-${traceId}-${spanId}-01`],
      ...(state === undefined ? [] : [['tracestate', state]]),
    ]);
  });

  test.each<{ name: string; handle: DeliveryHandler }>([
    {
      name: 'throws',
      handle: () => {
        throw new RangeError('on purpose');
      },
    },
    { name: 'rejects', handle: () => Promise.reject(new RangeError('on purpose')) },
  ])('an attempt whose handler $name has the error', async ({ handle }) => {
    const [attempt] = await spansOf(handle, deliveryWith());

    expect(attempt).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'RangeError: on purpose' },
      attributes: { 'error.type': 'RangeError' },
      events: [{ name: 'exception' }],
    });
  });

  test('an error that is no Error is recorded too', async () => {
    const [attempt] = await spansOf(() => AbortSignal.abort(null).throwIfAborted(), deliveryWith());

    expect(attempt).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'null' },
      attributes: { 'error.type': 'object' },
    });
  });
});

test('without an SDK, nothing traces', async () => {
  expect(await openTracing()).toBeUndefined();
});
