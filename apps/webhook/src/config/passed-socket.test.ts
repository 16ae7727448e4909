import { ReceiverError } from '../errors.js';
import { takePassedSocket } from './passed-socket.js';

const PID = 7;
const HERE = { LISTEN_PID: '7' };

test.each([
  { name: 'one socket', environment: { LISTEN_FDS: '1', ...HERE }, fd: 3 },
  { name: 'one socket with a name', environment: { LISTEN_FDS: '1', ...HERE, LISTEN_FDNAMES: 'a' }, fd: 3 },
  { name: 'no variable', environment: {}, fd: undefined },
  { name: 'no socket', environment: { LISTEN_FDS: '0', ...HERE }, fd: undefined },
  { name: 'an empty variable', environment: { LISTEN_FDS: '', ...HERE }, fd: undefined },
  { name: 'an empty variable for another process', environment: { LISTEN_FDS: '' }, fd: undefined },
])('$name: the descriptor is $fd', ({ environment, fd }) => {
  expect(takePassedSocket({ ...environment }, PID)).toEqual({ fd, warnings: [] });
});

test.each([{ LISTEN_PID: '8' }, { LISTEN_PID: '07' }, {}])(
  'a socket for another process (%j) is not used, with a warning',
  (process) => {
    expect(takePassedSocket({ LISTEN_FDS: '1', ...process }, PID)).toEqual({
      fd: undefined,
      warnings: [
        'LISTEN_PID: is another process, so the socket that was passed is not used; let the service start node itself, without a shell or npm',
      ],
    });
  },
);

test('HOST and PORT have no effect, with a warning that has no value', () => {
  const environment = { LISTEN_FDS: '1', ...HERE, HOST: '::1', PORT: '1' };

  expect(takePassedSocket(environment, PID).warnings).toEqual([
    'HOST: has no effect, because the socket was passed (LISTEN_FDS)',
    'PORT: has no effect, because the socket was passed (LISTEN_FDS)',
  ]);
});

test.each(['2', 'one', '-1'])('LISTEN_FDS=%s is refused', (count) => {
  expect(() => takePassedSocket({ LISTEN_FDS: count, ...HERE }, PID)).toThrow(
    new ReceiverError(
      'CONFIGURATION_INVALID',
      'LISTEN_FDS: must be 1. Give the socket unit one ListenStream=; the operations port is never passed.',
    ),
  );
});

test('the variables are removed, and no other', () => {
  const environment = {
    LISTEN_FDS: '1',
    LISTEN_PID: '7',
    LISTEN_PIDFDID: '8',
    LISTEN_FDNAMES: 'a',
    PORT: '1',
  };

  takePassedSocket(environment, PID);

  expect(environment).toEqual({ PORT: '1' });
});
