/** Raw Fastify with the same bearer check and no store: the least that a receiver on this stack can do. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';

const accepted = digest(process.argv[2]!);
const app = fastify();

app.addHook('onRequest', (request, reply, done) => {
  const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ');
  if (scheme === 'Bearer' && timingSafeEqual(digest(token), accepted)) done();
  else void reply.code(401).header('www-authenticate', 'Bearer').send();
});
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/plant/webhook', (_request, reply) => reply.code(204).send());

await app.listen({ port: 0, host: '127.0.0.1' });
process.send!((app.server.address() as AddressInfo).port);
process.once('disconnect', () => process.exit());

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
