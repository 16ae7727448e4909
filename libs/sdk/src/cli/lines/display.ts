import type { CommandContext } from '../command-line/command.js';
import type { Tally } from './tally.js';

/** Shows how far a run has come, and lines of text, on standard error. */
export interface Display {
  /** @param bytes how much of the input has been read */
  update(bytes: number): void;
  /** Prints a line of text. */
  print(text: string): void;
  stop(): void;
}

/** Milliseconds between two lines about the progress, if standard error is not a terminal. */
const interval = 10_000;

/**
 * Starts a progress bar on a terminal; a line from time to time otherwise.
 *
 * @param total Bytes of the input, if they are known.
 */
export async function startDisplay(
  stderr: CommandContext['stderr'],
  tally: Tally,
  total: number | undefined,
): Promise<Display> {
  return stderr.isTTY === true ? startBar(stderr, tally, total) : startLines(stderr, tally);
}

function startLines(stderr: CommandContext['stderr'], tally: Tally): Display {
  const print = (text: string): void => void stderr.write(`plant-store: ${text}\n`);
  let timer = setTimeout(report, interval);
  function report(): void {
    print(tally.toString());
    timer = setTimeout(report, interval);
  }
  return { update: () => {}, print, stop: () => clearTimeout(timer) };
}

async function startBar(
  stderr: CommandContext['stderr'],
  tally: Tally,
  total: number | undefined,
): Promise<Display> {
  const { MultiBar, Presets } = (await import('cli-progress')).default;
  const ofTotal = total === undefined ? '' : '{bar} {percentage} %, ';
  const left = total === undefined ? '' : ', {eta_formatted} left';
  const bars = new MultiBar(
    {
      format: `Sending ${ofTotal}{lines} lines, {failed} failed${left}`,
      clearOnComplete: true,
      // Ctrl-C doesn't end the run at once.
      gracefulExit: false,
      stream: stderr,
    },
    Presets.shades_classic,
  );
  const payload = (): object => ({
    lines: tally.lines.toLocaleString('en-US'),
    failed: tally.failed.toLocaleString('en-US'),
  });
  const bar = bars.create(Math.max(total ?? 1, 1), 0, payload());
  return {
    update: (bytes) => bar.update(total === undefined ? 0 : bytes, payload()),
    print: (text) => bars.log(`plant-store: ${text}\n`),
    stop: () => {
      // Prints the lines of text that wait for the next update.
      bars.update();
      bars.stop();
    },
  };
}
