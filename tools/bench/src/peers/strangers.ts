/**
 * Strangers with a wrong token, until this process is ended. Each sends as much as the receiver takes before it closes
 * the connection, and then again on a new one.
 */
import { connect } from 'node:net';

const [port, kind = ''] = process.argv.slice(2);
const head = 'POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n';
const content = {
  pipelined: Buffer.from(`${head}\r\n`.repeat(2_000)),
  chunked: Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(40_000)}`),
}[kind]!;

function attack(): void {
  const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => socket.write(content));
  socket
    .on('error', () => undefined)
    .once('close', attack)
    .resume();
}

for (let stranger = 0; stranger < 20; stranger += 1) attack();
