/** Raw node:http that refuses a wrong token: the least that a refusal costs on Node. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const right = `Bearer ${process.argv[2]}`;
const server = createServer((request, response) => {
  if (request.headers.authorization === right) {
    request.resume().once('end', () => response.writeHead(204).end());
  } else {
    const challenge = 'Bearer error="invalid_token"';
    response.writeHead(401, { 'www-authenticate': challenge, 'content-length': '0' }).end();
  }
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
