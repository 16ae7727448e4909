/** Strangers who pipeline thousands of requests with a wrong token, again and again, until this process is ended. */
import { connect } from 'node:net';

const [port, strangers] = process.argv.slice(2).map(Number);
const request = 'POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n';
const requests = Buffer.from(request.repeat(2_000));

function attack(): void {
  const socket = connect({ port: port!, host: '127.0.0.1' }, () => socket.write(requests));
  // The receiver closes the connection.
  socket
    .on('error', () => undefined)
    .once('close', attack)
    .resume();
}

for (let count = 0; count < strangers!; count += 1) attack();
