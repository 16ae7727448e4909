import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { storableText } from '../inbox/delivery.js';
import type {
  Act,
  Change,
  FollowedAct,
  InboxOperations,
  InboxStats,
  Origin,
  StoredDelivery,
} from '../inbox/inbox-operations.js';
import { shownText } from '../inbox/shown-text.js';
import type { ActLog } from './act-log.js';
import { asBuffer, streamJson } from './content-json.js';
import { atMostEvery } from './look-up.js';
import {
  ACTS_QUERY,
  BATCH_QUERY,
  CHANGE_CONTENTS,
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
const MAX_SEARCH_DURATION = 1_000;

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
  readonly log: ActLog;
  /** The header field in which a proxy names the operator; undefined for none. */
  readonly operatorHeader: string | undefined;
}

interface OneDelivery {
  readonly Params: { readonly id: string };
}
interface ManyDeliveries {
  readonly Body: z.output<(typeof CHANGE_CONTENTS)[Change['kind']]>;
}
interface Query<Schema extends z.ZodType> {
  readonly Querystring: z.output<Schema>;
}
type SentOrigin = z.output<typeof HANDLER_CONTENT>;

/**
 * The operations of an inbox.
 *
 * @param receiver undefined if none runs
 */
export function deliveryRoutes(
  app: FastifyInstance,
  inbox: InboxOperations,
  receiver?: ServingReceiver,
): void {
  const find = async ({ params: { id } }: FastifyRequest<OneDelivery>): Promise<StoredDelivery> => {
    const found = await inbox.find(Number(id));
    if (found !== undefined) return found;
    throw new RequestFault('UNKNOWN_DELIVERY', `There is no delivery ${id}.`);
  };
  /** A proxy knows who has signed in. Anybody else is believed. */
  const originOf = ({ headers, raw }: FastifyRequest, { operator, reason }: SentOrigin): Origin => {
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
  };
  const unknownAct = (id: number): RequestFault => new RequestFault('UNKNOWN_ACT', `There is no act ${id}.`);
  const followAct = async (id: number): Promise<FollowedAct> => {
    const [act] = await inbox.acts({ after: id + 1, limit: 1 });
    if (act?.id === id) return act;
    throw unknownAct(id);
  };
  const actOf = async (kind: Change['kind'], request: FastifyRequest<ManyDeliveries>): Promise<Change> => {
    const { act: id, filter } = request.body;
    const origin = originOf(request, request.body);
    if (id === undefined) return inbox.beginAct(kind, origin, filter);
    // What became of it isn't asked: that would cost each part of an act as much as the whole act is large.
    const act = await inbox.findAct(id);
    if (act === undefined) throw unknownAct(id);
    // Nobody may hide behind somebody else's act, and what it says of its first part is true of each.
    const sent: Pick<Act, 'kind' | keyof Origin> = { kind, ...origin };
    const others = (Object.keys(sent) as (keyof typeof sent)[]).filter((name) => sent[name] !== act[name]);
    if (others.length === 0) return act as Change;
    throw new RequestFault(
      'UNKNOWN_ACT',
      `Act ${id} has another ${others.join(', ')}. Leave act out to begin a new one.`,
    );
  };
  const countAgain = (): (() => Promise<InboxStats>) => atMostEvery(STATS_INTERVAL, () => inbox.stats());
  let readStats = countAgain();
  const setPaused =
    (isPaused: boolean) =>
    async (request: FastifyRequest<{ Body: SentOrigin }>, reply: FastifyReply): Promise<unknown> => {
      const act = await inbox.setPaused(isPaused, originOf(request, request.body));
      receiver?.log.add(act, 0);
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
  for (const kind of Object.keys(CHANGE_CONTENTS) as Change['kind'][])
    app.post<ManyDeliveries>(`/deliveries/${kind}`, changing(CHANGE_CONTENTS[kind]), async (request) => {
      const { filter, after, limit } = request.body;
      const act = await actOf(kind, request);
      const { changed, next = null } = await inbox.change({ filter, after, limit }, act);
      receiver?.log.add(act, changed);
      return { changed, next, act: act.id };
    });
  app.post<{ Body: SentOrigin }>('/handler/pause', changing(HANDLER_CONTENT), setPaused(true));
  app.post<{ Body: SentOrigin }>('/handler/resume', changing(HANDLER_CONTENT), setPaused(false));
  app.get<Query<typeof ACTS_QUERY>>('/acts', reading(ACTS_QUERY), async ({ query }) => ({
    acts: await inbox.acts(query),
  }));
  app.get<OneDelivery>('/acts/:id(^[1-9]\\d{0,14}$)', reading(), ({ params }) =>
    followAct(Number(params.id)),
  );
  app.get('/stats', reading(), async (request) => ({
    ...(await readStats()),
    receiver: receiver && { ...receiver.facts, operator: originOf(request, {}).operator },
  }));
}
