/**
 * Signals within so many milliseconds of the first are the same event. A terminal signals the whole group of processes,
 * and npm or a shell, which are in it, pass on what they get.
 */
const SAME_EVENT = 1_000;

/** What sends signals: a process. */
export interface Signalled {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/**
 * Calls a listener at the first of some signals. A later one has its default effect, as if nobody had listened.
 *
 * @param onOver is called when that begins
 */
export function onFirstSignal(
  itsProcess: Signalled,
  signals: readonly NodeJS.Signals[],
  listener: () => void,
  onOver?: () => void,
): void {
  let isFirst = true;
  const onSignal = (): void => {
    if (!isFirst) return;
    isFirst = false;
    // Signals that came while the process was busy are handled before an immediate.
    setTimeout(() => setImmediate(end), SAME_EVENT).unref();
    listener();
  };
  const end = (): void => {
    for (const signal of signals) itsProcess.off(signal, onSignal);
    onOver?.();
  };
  for (const signal of signals) itsProcess.on(signal, onSignal);
}
