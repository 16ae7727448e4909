import { hash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';

/** What a request brought. */
export interface Received {
  readonly mediaType: string | undefined;
  readonly content: Buffer;
}

/**
 * Serves on a free port with raw Fastify and a bearer check, and sends the port to the parent process.
 *
 * @param keep resolves when the request may be acknowledged; nothing is kept without it
 */
export async function serve(
  accessToken: string,
  keep?: (received: Received) => Promise<void>,
): Promise<void> {
  const accepted = digest(accessToken);
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
    const received = { mediaType: request.headers['content-type'], content: request.body as Buffer };
    keep(received).then(
      () => reply.code(204).send(),
      () => reply.code(503).send(),
    );
  });

  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send!((app.server.address() as AddressInfo).port);
  process.once('disconnect', () => process.exit());
}

export function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
