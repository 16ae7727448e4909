/** What the inbox and the dispatcher know of time. A simulation gives them another. */
export interface Clock {
  /** In milliseconds since any moment. It never goes back and never jumps: for durations. */
  now(): number;
  setTimeout(run: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  setImmediate(run: () => void): void;
}

/** The clock of this process. */
export const CLOCK: Clock = {
  now: performance.now.bind(performance),
  setTimeout,
  clearTimeout: clearTimeout as Clock['clearTimeout'],
  setImmediate,
};
