import { ReceiverError } from '../errors.js';

/** What the service manager passes. */
export interface PassedSocket {
  /** The file descriptor of the socket; undefined if none was passed. */
  readonly fd: number | undefined;
  /** Variables that have no effect: a line for each, without its value. */
  readonly warnings: readonly string[];
}

/** The first file descriptor that is passed (SD_LISTEN_FDS_START). */
const FIRST_FD = 3;

/**
 * Finds the socket on which the service manager listens for this process (sd_listen_fds(3)), and removes its variables,
 * so that no child takes them for its own.
 *
 * @param environment is changed
 * @param pid of this process
 * @throws ReceiverError `CONFIGURATION_INVALID`
 */
export function takePassedSocket(environment: NodeJS.ProcessEnv, pid: number): PassedSocket {
  const { LISTEN_FDS: count = '', LISTEN_PID: receiver } = environment;
  delete environment['LISTEN_FDS'];
  delete environment['LISTEN_PID'];
  delete environment['LISTEN_PIDFDID'];
  delete environment['LISTEN_FDNAMES'];
  if (count === '' || count === '0') return { fd: undefined, warnings: [] };
  if (receiver !== String(pid)) {
    const warning =
      'LISTEN_PID: is another process, so the socket that was passed is not used; let the service start node itself, without a shell or npm';
    return { fd: undefined, warnings: [warning] };
  }
  if (count !== '1') {
    throw new ReceiverError(
      'CONFIGURATION_INVALID',
      'LISTEN_FDS: must be 1. Give the socket unit one ListenStream=; the operations port is never passed.',
    );
  }
  const unused = ['HOST', 'PORT'].filter((name) => environment[name]);
  const warnings = unused.map((name) => `${name}: has no effect, because the socket was passed (LISTEN_FDS)`);
  return { fd: FIRST_FD, warnings };
}
