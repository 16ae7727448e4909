import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { storableText } from '../inbox/delivery.js';
import type { InboxStats, Origin, StoredDelivery } from '../inbox/inbox-operations.js';
import type { Operations } from '../inbox/operations.js';
import { shownText } from '../inbox/shown-text.js';
import { asBuffer, streamJson } from './content-json.js';
import { atMostEvery } from './look-up.js';
import {
  ACT_CONTENT,
  ACTS_QUERY,
  BATCH_QUERY,
  COUNT_QUERY,
  HANDLER_CONTENT,
  LIST_QUERY,
  MAX_NAME,
  SEARCH_QUERY,
} from './parameters.js';
import { RequestFault } from './request-fault.js';
import { SOCKET_NAME } from './socket-address.js';
import { changing, reading } from './validation.js';
import { isUnixSocket, PROTECTION } from './who-may-ask.js';

/** Longest time of a search, in milliseconds. */
export const MAX_SEARCH_DURATION = 1_000;

/** Shortest time between two groupings of errors, in milliseconds, and most groups in a response. */
const GROUPING_INTERVAL = 1_000;
const MAX_GROUPS = 50;

/** Shortest time between two counts of the deliveries, in milliseconds: each page that is open asks once a second. */
const STATS_INTERVAL = 1_000;

/** As Fastify has it. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** What `/stats` says of the receiver itself. */
export interface ReceiverFacts {
  /** RECEIVER_NAME. */
  readonly name: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Where the inbox is, for people. */
  readonly inbox: string;
  /** Where deliveries come; null as long as the receiver starts. */
  url: string | null;
}

/** The receiver whose inbox it is. */
export interface ServingReceiver {
  readonly facts: Readonly<ReceiverFacts>;
  /** The header field in which a proxy names the operator; undefined for none. */
  readonly operatorHeader: string | undefined;
}

interface OneDelivery {
  readonly Params: { readonly id: string };
}
interface Query<Schema extends z.ZodType> {
  readonly Querystring: z.output<Schema>;
}
type SentOrigin = z.output<typeof HANDLER_CONTENT>;

/**
 * Who acts, from where, and why. A proxy knows who has signed in. Anybody else is believed.
 *
 * @param receiver undefined if none runs
 */
export function originOf(
  { headers, raw }: FastifyRequest,
  { operator, reason }: SentOrigin,
  receiver: ServingReceiver | undefined,
): Origin {
  const named = receiver?.operatorHeader && headers[receiver.operatorHeader.toLowerCase()];
  const address = (): string | null =>
    isUnixSocket(raw.socket) ? SOCKET_NAME : (raw.socket.remoteAddress ?? null);
  const text = (given: string | undefined): string | null => given?.trim() || null;
  const name = text(named ? shownText(String(named)) : operator);
  const why = text(reason);
  return {
    operator: name && storableText(name, MAX_NAME),
    source: receiver === undefined ? 'plant-inbox' : address(),
    reason: why && storableText(why),
  };
}

/**
 * The operations of an inbox.
 *
 * @param receiver undefined if none runs
 */
export function deliveryRoutes(app: FastifyInstance, inbox: Operations, receiver?: ServingReceiver): void {
  const find = async ({ params: { id } }: FastifyRequest<OneDelivery>): Promise<StoredDelivery> => {
    const found = await inbox.find(Number(id));
    if (found !== undefined) return found;
    throw new RequestFault('UNKNOWN_DELIVERY', `There is no delivery ${id}.`);
  };
  const countAgain = (): (() => Promise<InboxStats>) => atMostEvery(STATS_INTERVAL, () => inbox.stats());
  let readStats = countAgain();
  const setPaused =
    (isPaused: boolean) =>
    async (request: FastifyRequest<{ Body: SentOrigin }>, reply: FastifyReply): Promise<unknown> => {
      await inbox.setPaused(isPaused, originOf(request, request.body, receiver));
      readStats = countAgain();
      return reply.code(204).send();
    };

  app.get<Query<typeof LIST_QUERY>>(
    '/deliveries',
    reading(LIST_QUERY),
    async ({ query: { order, after, limit, ...filter } }) => {
      const page = { order: `${order} first`, limit, ...(after !== undefined && { after }) } as const;
      return { deliveries: await inbox.list(filter, page) };
    },
  );
  app.get<Query<typeof COUNT_QUERY>>('/deliveries/count', reading(COUNT_QUERY), ({ query }) =>
    inbox.count(query),
  );
  app.get<Query<typeof SEARCH_QUERY>>(
    '/deliveries/search',
    reading(SEARCH_QUERY),
    async ({ query: { text, after, limit, ...filter } }) => {
      const { deliveries, next = null } = await inbox.search({
        text,
        filter,
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
  app.get<Query<typeof BATCH_QUERY>>(
    '/deliveries/batch',
    reading(BATCH_QUERY),
    async ({ query: { after, limit, ...filter } }, reply) => {
      const { deliveries, next = null } = await inbox.read({ filter, after, limit });
      return reply.type(JSON_TYPE).send(streamJson('{"deliveries":[', deliveries, `],"next":${next}}`));
    },
  );
  app.get<OneDelivery>('/deliveries/:id(^[1-9]\\d*$)', reading(), async (request, reply) =>
    reply.type(JSON_TYPE).send(streamJson('', [await find(request)], '')),
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
  app.post<{ Body: SentOrigin }>('/handler/pause', changing(HANDLER_CONTENT), setPaused(true));
  app.post<{ Body: SentOrigin }>('/handler/resume', changing(HANDLER_CONTENT), setPaused(false));
  app.post<{ Body: z.output<typeof ACT_CONTENT> }>('/acts', changing(ACT_CONTENT), (request) =>
    inbox.acts.begin(request.body.kind, request.body.filter, originOf(request, request.body, receiver)),
  );
  app.get<Query<typeof ACTS_QUERY>>('/acts', reading(ACTS_QUERY), async ({ query }) => ({
    acts: await inbox.acts.list(query),
  }));
  app.get<OneDelivery>('/acts/:id(^[1-9]\\d{0,14}$)', reading(), async ({ params: { id } }) => {
    const act = await inbox.acts.find(Number(id));
    if (act !== undefined) return act;
    throw new RequestFault('UNKNOWN_ACT', `There is no act ${id}.`);
  });
  app.get('/stats', reading(), async (request) => ({
    ...(await readStats()),
    receiver: receiver && { ...receiver.facts, operator: originOf(request, {}, receiver).operator },
  }));
}
