import { EventEmitter, once } from 'node:events';
import { afterThisTest } from '@plant-store/test-support';

/** Clocks of one length. */
export interface Clocks {
  /** Resolves once one of them runs. */
  readonly running: () => Promise<void>;
  /** Lets their time pass for `performance.now`, and those that run, run out. Returns how many have. */
  readonly runOut: () => number;
}

/**
 * Makes timers of exactly this length run out when the test says so. Time stands still for `performance.now`, so that
 * a clock has its whole length however long the test takes.
 */
export function useClocks(milliseconds: number): Clocks {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const clocks = new Set<() => void>();
  const started = new EventEmitter();
  const replaced = (callback: (...all: unknown[]) => void, delay?: number, ...all: unknown[]): unknown => {
    if (delay !== milliseconds) return set(callback, delay, ...all);
    const clock = Object.assign(() => callback(...all), { unref: () => clock });
    clocks.add(clock);
    started.emit('clock');
    return clock;
  };
  globalThis.setTimeout = replaced as typeof set;
  globalThis.clearTimeout = (timer) => {
    if (!clocks.delete(timer as never)) clear(timer);
  };
  afterThisTest(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }));
  const pass = useTimeThatPasses();
  return {
    async running() {
      while (clocks.size === 0) await once(started, 'clock');
    },
    runOut() {
      pass(milliseconds);
      // A clock may be started again when it runs out.
      const those = [...clocks];
      clocks.clear();
      for (const clock of those) clock();
      return those.length;
    },
  };
}

/** Time stands still for `performance.now`, and passes when the returned function is called. Timers go on. */
export function useTimeThatPasses(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  // Whole milliseconds, so that a difference of two times is exact.
  let time = Math.round(now());
  performance.now = () => time;
  afterThisTest(() => Object.assign(performance, { now }));
  return (milliseconds) => (time += milliseconds);
}
