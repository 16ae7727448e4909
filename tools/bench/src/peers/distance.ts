/** A network: hands on what comes to PostgreSQL, and what it replies, 1 ms later. Its second argument is PostgreSQL's port. */
import { connect, createServer, type Socket } from 'node:net';
import { ready } from './peer.js';

const DELAY_MS = 1;
const [, port] = process.argv.slice(2);

function handOn(from: Socket, to: Socket): void {
  from
    .on('data', (bytes) => setTimeout(() => to.write(bytes), DELAY_MS))
    .on('end', () => setTimeout(() => to.end(), DELAY_MS))
    .on('error', () => to.destroy());
}

const server = createServer({ noDelay: true }, (client) => {
  const database = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  handOn(client, database);
  handOn(database, client);
});
server.listen(0, '127.0.0.1', () => ready(server));
