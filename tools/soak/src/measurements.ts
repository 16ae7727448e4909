import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

import type { Usage } from './receiver.js';

/** What was measured in one round of the steady receiver. */
export interface Measurement {
  /** Seconds since the start of the soak. */
  readonly at: number;
  /** Of the receiver, after the senders have gone; undefined on a system without /proc. */
  readonly usage: Usage | undefined;
  /** Latency of acknowledged deliveries, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** By how much the resident memory may grow from the second quarter of a soak to the last. */
const MAX_GROWTH = { factor: 1.25, bytes: 64 * 1_048_576 };

/** How many descriptors more than before its first delivery the receiver may have when nobody is connected. */
export const MAX_MORE_DESCRIPTORS = 10;

/** Memory, descriptors and latency over time. */
export class Measurements {
  readonly all: Measurement[] = [];
  readonly #began = performance.now();
  readonly #total = createHistogram();
  #round = createHistogram();
  #maxMemory = 0;
  #maxDescriptors = 0;

  /** Adds the latency of one delivery. */
  addLatency = (milliseconds: number): void => {
    const microseconds = Math.max(1, Math.round(milliseconds * 1_000));
    this.#total.record(microseconds);
    this.#round.record(microseconds);
  };

  /** Takes note of what the receiver uses under load. */
  sample(usage: Usage | undefined): void {
    this.#maxMemory = Math.max(this.#maxMemory, usage?.memory ?? 0);
    this.#maxDescriptors = Math.max(this.#maxDescriptors, usage?.descriptors ?? 0);
  }

  /** Ends a round. */
  add(usage: Usage | undefined): void {
    this.sample(usage);
    this.all.push({ at: this.seconds, usage, ...latencyOf(this.#round) });
    this.#round = createHistogram();
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1_000;
  }

  get latency(): { p50: number; p99: number; max: number } {
    return latencyOf(this.#total);
  }

  get most(): Usage {
    return { memory: this.#maxMemory, descriptors: this.#maxDescriptors };
  }

  /** What grew without bound: a line each. */
  leaks(): string[] {
    const memory = this.all.flatMap(({ usage }) => usage?.memory ?? []);
    const quarter = Math.floor(memory.length / 4);
    if (quarter === 0) return [];
    const before = median(memory.slice(quarter, 2 * quarter));
    const after = median(memory.slice(-quarter));
    if (after <= before * MAX_GROWTH.factor + MAX_GROWTH.bytes) return [];
    return [`memory grew from ${before} bytes (median of the second quarter) to ${after} (of the last)`];
  }
}

function latencyOf(histogram: RecordableHistogram): { p50: number; p99: number; max: number } {
  const milliseconds = (microseconds: number): number => (histogram.count === 0 ? 0 : microseconds / 1_000);
  return {
    p50: milliseconds(histogram.percentile(50)),
    p99: milliseconds(histogram.percentile(99)),
    max: milliseconds(histogram.max),
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
