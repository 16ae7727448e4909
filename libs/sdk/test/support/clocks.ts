import { afterThisTest } from '@plant-store/test-support';

/**
 * Makes timers of this length run out when the returned function is called, and not by time. A clock that has run for
 * up to a second before its timer starts counts, too. The function returns how many have run out.
 */
export function useClocksThatRunOut(milliseconds: number): () => number {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const clocks = new Set<() => void>();
  const replaced = (callback: (...all: unknown[]) => void, delay?: number, ...all: unknown[]): unknown => {
    if (delay === undefined || delay > milliseconds || delay <= milliseconds - 1_000) {
      return set(callback, delay, ...all);
    }
    const runOut = (): void => callback(...all);
    clocks.add(runOut);
    return runOut;
  };
  globalThis.setTimeout = replaced as typeof set;
  globalThis.clearTimeout = (timer) => {
    if (!clocks.delete(timer as never)) clear(timer);
  };
  afterThisTest(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }));
  // A clock may be started again when it runs out.
  return () => [...clocks].map((runOut) => runOut()).length;
}

/** Lets time pass for `performance.now`, and not for timers, when the returned function is called. */
export function useTimeThatPasses(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  let passed = 0;
  performance.now = () => now() + passed;
  afterThisTest(() => Object.assign(performance, { now }));
  return (milliseconds) => (passed += milliseconds);
}
