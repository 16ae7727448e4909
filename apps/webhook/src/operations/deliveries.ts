import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { InboxOperations, StoredDelivery } from '../inbox/inbox-operations.js';
import {
  BATCH_QUERY,
  COUNT_QUERY,
  DISCARD_CONTENT,
  LIST_QUERY,
  NOTHING,
  parseContent,
  parseQuery,
  REPLAY_CONTENT,
} from './parameters.js';
import { RequestFault } from './request-fault.js';
import { PROTECTION } from './who-may-ask.js';

/** What `/stats` says of the receiver itself. */
export interface ReceiverFacts {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Where the inbox is, for people. */
  readonly inbox: string;
}

/**
 * The operations of an inbox.
 *
 * @param wakeHandler called when there may be deliveries for the handler
 */
export function deliveryRoutes(
  app: FastifyInstance,
  inbox: InboxOperations,
  receiver: ReceiverFacts,
  wakeHandler: () => void,
): void {
  const find = async ({ query, params }: FastifyRequest): Promise<StoredDelivery> => {
    parseQuery(NOTHING, query);
    const { id } = params as { readonly id: string };
    const found = await inbox.find(Number(id));
    if (found !== undefined) return found;
    throw new RequestFault('UNKNOWN_DELIVERY', `There is no delivery ${id}.`);
  };
  const setPaused =
    (isPaused: boolean) =>
    async ({ query, body }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      parseQuery(NOTHING, query);
      parseContent(NOTHING, body);
      await inbox.setPaused(isPaused);
      if (!isPaused) wakeHandler();
      return reply.code(204).send();
    };

  app.get('/deliveries', async ({ query }) => {
    const { filter, page } = parseQuery(LIST_QUERY, query);
    return { deliveries: await inbox.list(filter, page) };
  });
  app.get('/deliveries/count', ({ query }) => inbox.count(parseQuery(COUNT_QUERY, query)));
  app.get('/deliveries/batch', async ({ query }) => {
    const { deliveries, next = null } = await inbox.read(parseQuery(BATCH_QUERY, query));
    return { deliveries: deliveries.map(withContent), next };
  });
  app.get('/deliveries/:id(^[1-9]\\d*$)', async (request) => withContent(await find(request)));
  app.get('/deliveries/:id(^[1-9]\\d*$)/content', async (request, reply) => {
    const { id, content } = await find(request);
    return reply
      .headers({
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="delivery-${id}"`,
        'content-security-policy': `${PROTECTION['content-security-policy']}; sandbox`,
      })
      .send(asBuffer(content));
  });
  app.post('/deliveries/replay', async ({ query, body }) => {
    parseQuery(NOTHING, query);
    const { changed, next = null } = await inbox.change(parseContent(REPLAY_CONTENT, body), {
      kind: 'replay',
    });
    if (changed > 0) wakeHandler();
    return { changed, next };
  });
  app.post('/deliveries/discard', async ({ query, body }) => {
    parseQuery(NOTHING, query);
    const { batch, reason } = parseContent(DISCARD_CONTENT, body);
    const { changed, next = null } = await inbox.change(batch, { kind: 'discard', reason });
    return { changed, next };
  });
  app.post('/handler/pause', setPaused(true));
  app.post('/handler/resume', setPaused(false));
  app.get('/stats', async ({ query }) => {
    parseQuery(NOTHING, query);
    return { ...(await inbox.stats()), receiver };
  });
}

function withContent(delivery: Omit<StoredDelivery, 'history'>): object {
  return { ...delivery, content: asBuffer(delivery.content).toString('base64') };
}

/** The same bytes, not copied. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
