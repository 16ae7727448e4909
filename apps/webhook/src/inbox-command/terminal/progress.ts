import { Presets, SingleBar } from 'cli-progress';

/** How far long work has come. */
export interface Progress {
  /** @param value from 0 to the total */
  update(value: number, count: number): void;
  stop(): void;
}

const NONE: Progress = { update: () => undefined, stop: () => undefined };

/**
 * Shows a progress bar on standard error, if that is a terminal.
 *
 * @param doing what is done, such as `Replaying`
 * @param total undefined if nobody knows; then there is none
 */
export function startProgress(doing: string, total: number | undefined): Progress {
  if (total === undefined || !process.stderr.isTTY) return NONE;
  const bar = new SingleBar(
    {
      format: `${doing} {bar} {percentage} %, {count} deliveries, {eta_formatted} left`,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { count: '0' });
  return {
    update: (value, count) => bar.update(value, { count: count.toLocaleString('en-US') }),
    stop: () => bar.stop(),
  };
}
