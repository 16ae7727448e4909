/** Goes to the start of the line, and clears it. */
const CLEAR = '\r\u001b[K';

/** Says what is waited for. On a terminal, the line counts the seconds, and goes away at the end. */
export class WaitingLine {
  #timer;

  begin(text) {
    if (!process.stdout.isTTY) {
      console.log(`${text}...`);
      return;
    }
    const since = performance.now();
    const show = () => {
      const time = `... ${Math.floor((performance.now() - since) / 1_000)} s`;
      // A line that wraps can't be cleared. The width is 0 if it isn't known.
      const shown = text.slice(0, (process.stdout.columns || 80) - time.length - 1);
      process.stdout.write(CLEAR + shown + time);
    };
    this.end();
    this.#timer = setInterval(show, 1_000);
    show();
  }

  /** Makes room for another line. This one comes back within a second. */
  clear() {
    if (this.#timer !== undefined) process.stdout.write(CLEAR);
  }

  end() {
    this.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
