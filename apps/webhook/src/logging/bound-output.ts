/** Most bytes that wait to be written to standard output, and to standard error: as many as of the log. */
const MAX_WAITING = 4_194_304;

/**
 * Bounds what a stream keeps while its reader stalls. A handler's `console.log` writes there, and Node.js would keep it all
 * in memory. What doesn't fit is lost. A reader that goes away, or a full disk, is no error.
 */
export function boundOutput(
  stream: NodeJS.WritableStream & Pick<NodeJS.WriteStream, 'writableLength'>,
): void {
  stream.on('error', () => undefined);
  const write = stream.write.bind(stream) as (...given: readonly unknown[]) => boolean;
  stream.write = (...given: readonly unknown[]): boolean => {
    if (stream.writableLength < MAX_WAITING) return write(...given);
    const callback = given.at(-1);
    if (typeof callback === 'function') process.nextTick(callback);
    return false;
  };
}
