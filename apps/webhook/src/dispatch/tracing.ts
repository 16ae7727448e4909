import { setTimeout as delay } from 'node:timers/promises';

import type * as OpenTelemetry from '@opentelemetry/api';
import type { SpanOptions, TextMapGetter } from '@opentelemetry/api';
import { facts } from '@plant-store/contract';
import type { Delivery, HeaderField } from '@plant-store/handler';

import { DescribedError } from '../logging/describe-error.js';

/** How long the last spans may take to be sent, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

const SPAN_NAME = `process ${facts.DELIVERY_PATH}`;

/** Reads a stored head as the propagators of OpenTelemetry do. Lines with one name are one list (RFC 9110 §5.2). */
const FIELDS: TextMapGetter<readonly HeaderField[]> = {
  keys: (fields) => fields.map(([name]) => name.toLowerCase()),
  get(fields, name) {
    const values = fields.filter(([each]) => each.toLowerCase() === name.toLowerCase());
    return values.length === 0 ? undefined : values.map(([, value]) => value).join(',');
  },
};

/** Undefined if `@opentelemetry/api` isn't installed, or nothing has registered there by now. */
export async function openTracing(): Promise<Tracing | undefined> {
  const api = await findOpenTelemetry();
  const provider = api && registeredIn(api);
  return provider && new Tracing(api, provider);
}

/** Attempts as spans. */
export class Tracing {
  readonly #api: typeof OpenTelemetry;
  readonly #provider: FlushableProvider;

  constructor(api: typeof OpenTelemetry, provider: FlushableProvider) {
    this.#api = api;
    this.#provider = provider;
  }

  /**
   * Runs an attempt in a span. It is a child of the span that the head of the delivery names (`traceparent`, or what the
   * application's propagator reads).
   */
  run(delivery: Delivery, attempt: () => Promise<void> | void): Promise<void> {
    const { context, propagation, ROOT_CONTEXT, SpanStatusCode, trace } = this.#api;
    const sender = propagation.extract(ROOT_CONTEXT, delivery.fields, FIELDS);
    const tracer = trace.getTracer('plant-store-webhook');
    const span = tracer.startSpan(SPAN_NAME, spanOptions(this.#api, delivery), sender);
    return context.with(trace.setSpan(sender, span), async () => {
      try {
        await attempt();
      } catch (error) {
        const { type, message, text, stack } = new DescribedError(error);
        span.recordException({ name: type, message, ...(stack !== null && { stack }) });
        span.setAttribute('error.type', type);
        span.setStatus({ code: SpanStatusCode.ERROR, message: text });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** The fields of a delivery to send on: those of its trace are of the attempt's span, once, whatever the sender sent. */
  inject(fields: readonly HeaderField[]): readonly HeaderField[] {
    const { context, propagation } = this.#api;
    const traced: HeaderField[] = [];
    propagation.inject(context.active(), traced, { set: (list, name, value) => list.push([name, value]) });
    const names = new Set(propagation.fields().map((name) => name.toLowerCase()));
    return [...fields.filter(([name]) => !names.has(name.toLowerCase())), ...traced];
  }

  /** Sends the last spans. Resolves soon, whether or not that has succeeded. */
  async flush(): Promise<void> {
    const flushed = this.#provider.forceFlush?.().catch(() => undefined);
    await Promise.race([flushed, delay(FLUSH_TIMEOUT, undefined, { ref: false })]);
  }
}

/** The attributes are those of OpenTelemetry's conventions for messaging. */
function spanOptions({ SpanKind }: typeof OpenTelemetry, { id }: Delivery): SpanOptions {
  return {
    kind: SpanKind.CONSUMER,
    attributes: {
      'messaging.system': 'plant_store_webhook',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': facts.DELIVERY_PATH,
      'messaging.message.id': String(id),
    },
  };
}

/** What makes spans; undefined if nothing has registered. */
function registeredIn({ ProxyTracerProvider, trace }: typeof OpenTelemetry): FlushableProvider | undefined {
  const provider = trace.getTracerProvider();
  const registered = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  return registered === new ProxyTracerProvider().getDelegate() ? undefined : registered;
}

/** That of the SDK can be flushed. */
type FlushableProvider = OpenTelemetry.TracerProvider & { readonly forceFlush?: () => Promise<void> };

async function findOpenTelemetry(): Promise<typeof OpenTelemetry | undefined> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
