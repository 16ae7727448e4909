import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { collectEvidence } from '../evidence/evidence.js';
import type { Change, InboxOperations, StoredDelivery } from '../inbox/inbox-operations.js';
import { atMostEvery } from './look-up.js';
import {
  BATCH_QUERY,
  CHANGE_CONTENTS,
  COUNT_QUERY,
  filterOf,
  LIST_QUERY,
  NOTHING,
  SEARCH_QUERY,
  type SentBatch,
  type SentFilter,
  type SentPage,
  type SentSearch,
} from './parameters.js';
import { RequestFault } from './request-fault.js';
import { PROTECTION } from './who-may-ask.js';

/** Longest time of a search, in milliseconds. */
const MAX_SEARCH_DURATION = 1_000;

/** Shortest time between two groupings of errors, in milliseconds, and most groups in a response. */
const GROUPING_INTERVAL = 1_000;
const MAX_GROUPS = 50;

/** What `/stats` says of the receiver itself. */
export interface ReceiverFacts {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Where the inbox is, for people. */
  readonly inbox: string;
  /** Where deliveries come; null as long as the receiver starts. */
  url: string | null;
}

interface OneDelivery {
  readonly Params: { readonly id: string };
}
interface ManyDeliveries {
  readonly Body: SentBatch & { readonly filter: SentFilter; readonly reason?: string };
}

/** Schemas of a request that only reads, and of one that changes something. */
const reading = (querystring = NOTHING): { schema: object } => ({ schema: { querystring } });
const changing = (body: object): { schema: object } => ({ schema: { querystring: NOTHING, body } });

/**
 * The operations of an inbox.
 *
 * @param receiver undefined if none runs
 */
export function deliveryRoutes(
  app: FastifyInstance,
  inbox: InboxOperations,
  receiver?: Readonly<ReceiverFacts>,
): void {
  const find = async ({ params: { id } }: FastifyRequest<OneDelivery>): Promise<StoredDelivery> => {
    const found = await inbox.find(Number(id));
    if (found !== undefined) return found;
    throw new RequestFault('UNKNOWN_DELIVERY', `There is no delivery ${id}.`);
  };
  const setPaused = async (isPaused: boolean, reply: FastifyReply): Promise<unknown> => {
    await inbox.setPaused(isPaused);
    return reply.code(204).send();
  };

  app.get<{ Querystring: SentFilter & SentPage }>(
    '/deliveries',
    reading(LIST_QUERY),
    async ({ query: { order, after, limit, ...filter } }) => {
      const page = { order: `${order} first`, limit, ...(after !== undefined && { after }) } as const;
      return { deliveries: await inbox.list(filterOf(filter), page) };
    },
  );
  app.get<{ Querystring: SentFilter }>('/deliveries/count', reading(COUNT_QUERY), ({ query }) =>
    inbox.count(filterOf(query)),
  );
  app.get<{ Querystring: SentFilter & SentSearch }>(
    '/deliveries/search',
    reading(SEARCH_QUERY),
    async ({ query: { text, after, limit, ...filter } }) => {
      const { deliveries, next = null } = await inbox.search({
        text,
        filter: filterOf(filter),
        limit,
        maxDuration: MAX_SEARCH_DURATION,
        ...(after !== undefined && { after }),
      });
      return { deliveries, next, complete: next === null };
    },
  );
  const groupErrors = atMostEvery(GROUPING_INTERVAL, () => inbox.errorGroups());
  app.get('/errors', reading(), async () => {
    const { groups, isComplete } = await groupErrors();
    return { groups: groups.slice(0, MAX_GROUPS), complete: isComplete && groups.length <= MAX_GROUPS };
  });
  app.get<{ Querystring: SentFilter & SentBatch }>(
    '/deliveries/batch',
    reading(BATCH_QUERY),
    async ({ query: { after, limit, ...filter } }) => {
      const { deliveries, next = null } = await inbox.read({ filter: filterOf(filter), after, limit });
      return { deliveries: deliveries.map(withContent), next };
    },
  );
  app.get<OneDelivery>('/deliveries/:id(^[1-9]\\d*$)', reading(), async (request) =>
    withContent(await find(request)),
  );
  app.get<OneDelivery>('/deliveries/:id(^[1-9]\\d*$)/content', reading(), async (request, reply) => {
    const { id, content } = await find(request);
    return reply
      .headers({
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="delivery-${id}"`,
        'content-security-policy': `${PROTECTION['content-security-policy']}; sandbox`,
      })
      .send(asBuffer(content));
  });
  for (const kind of Object.keys(CHANGE_CONTENTS) as Change['kind'][])
    app.post<ManyDeliveries>(
      `/deliveries/${kind}`,
      changing(CHANGE_CONTENTS[kind]),
      async ({ body: { filter, after, limit, reason = '' } }) => {
        const batch = { filter: filterOf(filter, 'INVALID_CONTENT'), after, limit };
        const { changed, next = null } = await inbox.change(batch, { kind, reason: reason.trim() });
        return { changed, next };
      },
    );
  app.post('/handler/pause', changing(NOTHING), (_request, reply) => setPaused(true, reply));
  app.post('/handler/resume', changing(NOTHING), (_request, reply) => setPaused(false, reply));
  app.get<{ Querystring: SentFilter }>('/evidence', reading(COUNT_QUERY), ({ query }, reply) =>
    collectEvidence(inbox, filterOf(query), () => reply.raw.destroyed),
  );
  app.get('/stats', reading(), async () => ({ ...(await inbox.stats()), receiver }));
}

function withContent(delivery: Omit<StoredDelivery, 'history'>): object {
  return { ...delivery, content: asBuffer(delivery.content).toString('base64') };
}

/** The same bytes, not copied. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
