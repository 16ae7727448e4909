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
  { given: '::', code: 'EAFNOSUPPORT', tried: ['::', '0.0.0.0'] },
  { given: '::', code: 'EADDRINUSE', tried: ['::'] },
  { given: '::1', code: 'EAFNOSUPPORT', tried: ['::1'] },
])('$given, which fails with $code, is tried as $tried', async ({ given, code, tried }) => {
  const addresses: string[] = [];
  const listen = async (address: string): Promise<void> => {
    addresses.push(address);
    if (address !== '0.0.0.0') throw Object.assign(new Error('arbitrary'), { code });
  };

  const listening = listenOnOne(listen, 'HOST', given, recordLog().logger);

  const failed = await listening.catch((error: unknown) => error);
  expect(addresses).toEqual(tried);
  expect(failed).toEqual(tried.length === 2 ? undefined : expect.objectContaining({ code }));
});

test.each([
  [{ address: '0.0.0.0', family: 'IPv4', port: 1 }, 'http://127.0.0.1:1'],
  [{ address: '::', family: 'IPv6', port: 1 }, 'http://127.0.0.1:1'],
  [{ address: 'fe80::1%eth0', family: 'IPv6', port: 1 }, 'http://[fe80::1%25eth0]:1'],
  ['/run/a socket', 'http+unix://%2Frun%2Fa%20socket'],
  [null, 'http+unix://'],
])('a server at %j has a URL', (address, want) => {
  const server = createServer();
  server.address = () => address;

  expect(urlOf(server)).toBe(want);
});
