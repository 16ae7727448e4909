/**
 * Raw Fastify with the same bearer check: the least that a receiver on this stack can do. With a folder, it keeps in
 * SQLite what it acknowledges. It has no handler and no limits.
 */
import { timingSafeEqual } from 'node:crypto';
import { fastify } from 'fastify';
import { keepInSqlite } from './keep-in-sqlite.js';
import { digest, ready } from './peer.js';

const [accessToken = '', folder] = process.argv.slice(2);
const accepted = digest(accessToken);
const keep = folder === undefined ? undefined : keepInSqlite(folder);

const app = fastify();
app.addHook('onRequest', (request, reply, done) => {
  const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ');
  if (scheme === 'Bearer' && timingSafeEqual(digest(token), accepted)) done();
  else void reply.code(401).header('www-authenticate', 'Bearer').send();
});
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/plant/webhook', (request, reply) => {
  if (keep === undefined) return void reply.code(204).send();
  keep({ mediaType: request.headers['content-type'], content: request.body as Buffer }).then(
    () => reply.code(204).send(),
    () => reply.code(503).send(),
  );
});
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);
