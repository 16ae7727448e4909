import { createServer } from 'node:net';

import { recordLog } from '../../test/record-log.js';
import { listenOnOne, urlOf } from './listen.js';

test('a name with several addresses is served once, and the log says which', async () => {
  const log = recordLog();
  const found = [{ address: '127.0.0.1' }, { address: '::1' }, { address: '127.0.0.1' }];
  const served: string[] = [];
  const listen = async (address: string): Promise<void> => void served.push(address);

  await listenOnOne(listen, 'HOST', 'plants.example', log.logger, async () => found);

  expect(served).toEqual(['127.0.0.1']);
  expect(log.lines).toMatchObject([
    {
      level: 'warn',
      msg: 'HOST: plants.example has several addresses; the receiver listens on 127.0.0.1, and not on ::1',
    },
  ]);
});

test.each([
  [{ address: '0.0.0.0', family: 'IPv4', port: 1 }, 'http://127.0.0.1:1'],
  [{ address: '::', family: 'IPv6', port: 1 }, 'http://[::1]:1'],
  [{ address: 'fe80::1%eth0', family: 'IPv6', port: 1 }, 'http://[fe80::1%25eth0]:1'],
  ['/run/a socket', 'http+unix://%2Frun%2Fa%20socket'],
  [null, 'http+unix://'],
])('a server at %j has a URL', (address, want) => {
  const server = createServer();
  server.address = () => address;

  expect(urlOf(server)).toBe(want);
});
