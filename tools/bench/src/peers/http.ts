/** Raw node:http that reads a delivery and refuses a wrong token: the least that either costs on Node. */
import { createServer } from 'node:http';
import { ready } from './peer.js';

const right = `Bearer ${process.argv[2]}`;
const server = createServer((request, response) => {
  if (request.headers.authorization === right) {
    request.resume().once('end', () => response.writeHead(204).end());
  } else {
    const challenge = 'Bearer error="invalid_token"';
    response.writeHead(401, { 'www-authenticate': challenge, 'content-length': '0' }).end();
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => ready(server));
