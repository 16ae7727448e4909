/** Most connections of the operations listener from this machine, and as many from elsewhere. */
export const OPERATIONS_CONNECTIONS = 64;

/** Descriptors of Node.js, the inbox, the log and the handler. A receiver that does nothing has 42. */
const RESERVE = 96;

/**
 * How many descriptors a start needs: Node.js opens the modules that it imports at once, up to 340 of them. Afterwards they
 * are free for connections.
 */
const OPEN_FILES_OF_A_START = 512;

/** Ends the process, with the reason on standard error, if it may have fewer descriptors than a start needs. */
export function requireOpenFiles(): void {
  const openFiles = readOpenFileLimit();
  if (openFiles >= OPEN_FILES_OF_A_START) return;
  process.stderr.write(
    `The process may have only ${openFiles} files and connections open, and its start needs ${OPEN_FILES_OF_A_START}: raise that limit (ulimit -n). [CONFIGURATION_INVALID]\n`,
  );
  process.exit(1);
}

/** How many descriptors are left for connections with deliveries. */
export function deliveryConnections(openFiles: number): number {
  return openFiles - 2 * OPERATIONS_CONNECTIONS - RESERVE;
}

/** How many files and connections this process may have open: the hard limit, to which Node.js raises the soft one. */
export function readOpenFileLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Infinity;
}
