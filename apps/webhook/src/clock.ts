/** What the inbox and the dispatcher know of time and of chance. A simulation gives them another. */
export interface Clock {
  /** In milliseconds since any moment. It never goes back and never jumps: for durations. */
  now(): number;
  setTimeout(run: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  setImmediate(run: () => void): void;
  /** From 0 up to 1, without 1. */
  readonly random: () => number;
}

/** The clock of this process. */
export const CLOCK: Clock = {
  now: performance.now.bind(performance),
  setTimeout,
  clearTimeout,
  setImmediate,
  random: Math.random,
};
