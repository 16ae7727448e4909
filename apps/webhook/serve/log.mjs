import pretty from 'pino-pretty';

/** So many lines about deliveries are printed in a second. Of more, one line says how many there were. */
const MOST = 5;

/**
 * Prints the log of the receiver for a person.
 *
 * @param {(line: string) => void} [write] prints an entry of the log
 * @returns {(line: string) => void} takes a line of the log
 */
export function createLog(write = prettyWriter()) {
  /** How often each message was left out in this second. */
  let leftOut = new Map();
  let printed = 0;
  let timer;

  const endSecond = () => {
    const counts = [...leftOut].map(([msg, times]) => `${msg} (${times.toLocaleString('en')} times)`);
    timer = undefined;
    // After a second with more, the next one has its summary alone.
    printed = counts.length > 0 ? MOST : 0;
    leftOut = new Map();
    if (counts.length === 0) return;
    write(JSON.stringify({ level: 30, time: Date.now(), msg: `in the last second: ${counts.join(', ')}` }));
    timer = setTimeout(endSecond, 1_000);
  };

  return (line) => {
    if (!line.includes('"delivery":')) {
      write(line);
      return;
    }
    timer ??= setTimeout(endSecond, 1_000);
    printed += 1;
    if (printed <= MOST) {
      write(line);
      return;
    }
    const { msg } = JSON.parse(line);
    leftOut.set(msg, (leftOut.get(msg) ?? 0) + 1);
  };
}

function prettyWriter() {
  const log = pretty({
    ignore: 'service,version,receiver,err',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
  });
  return (line) => {
    log.write(`${line}\n`);
    if (!line.includes('"err":')) return;
    const { err } = JSON.parse(line);
    const text = err?.stack ?? [err?.type, err?.message].filter(Boolean).join(': ');
    process.stdout.write(`${text}\n`.replaceAll(/^(?=.)/gm, '    '));
  };
}
