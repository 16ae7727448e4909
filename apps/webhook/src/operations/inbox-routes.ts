import type { InboxOperations, StoredDelivery } from '../inbox/inbox-operations.js';
import type { PreparedResponse } from '../http/response.js';
import {
  BATCH_QUERY,
  DISCARD_CONTENT,
  LIST_QUERY,
  NOTHING,
  parseContent,
  parseQuery,
  REPLAY_CONTENT,
} from './parameters.js';
import { RequestFault } from './request-fault.js';
import { bytesResponse, jsonResponse, NO_CONTENT, PROTECTION } from './response.js';
import type { OperationsRequest, Route } from './router.js';

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
export function inboxRoutes(
  inbox: InboxOperations,
  receiver: ReceiverFacts,
  wakeHandler: () => void,
): readonly Route[] {
  const find = async ({ query, parts: { id } }: OperationsRequest): Promise<StoredDelivery> => {
    parseQuery(NOTHING, query);
    const found = await inbox.find(Number(id));
    if (found !== undefined) return found;
    throw new RequestFault('UNKNOWN_DELIVERY', `There is no delivery ${id as string}.`);
  };
  const setPaused = async (
    { query, content }: OperationsRequest,
    isPaused: boolean,
  ): Promise<PreparedResponse> => {
    parseQuery(NOTHING, query);
    parseContent(NOTHING, content);
    await inbox.setPaused(isPaused);
    if (!isPaused) wakeHandler();
    return NO_CONTENT;
  };
  return [
    {
      method: 'GET',
      path: '/deliveries',
      async respond({ query }) {
        const { filter, page } = parseQuery(LIST_QUERY, query);
        return jsonResponse(200, { deliveries: await inbox.list(filter, page) });
      },
    },
    {
      method: 'GET',
      path: '/deliveries/batch',
      async respond({ query }) {
        const { deliveries, next = null } = await inbox.read(parseQuery(BATCH_QUERY, query));
        return jsonResponse(200, { deliveries: deliveries.map(withContent), next });
      },
    },
    {
      method: 'GET',
      path: /^\/deliveries\/(?<id>[1-9]\d*)$/,
      respond: async (request) => jsonResponse(200, withContent(await find(request))),
    },
    {
      method: 'GET',
      path: /^\/deliveries\/(?<id>[1-9]\d*)\/content$/,
      async respond(request) {
        const { id, content } = await find(request);
        return bytesResponse(asBuffer(content), {
          'content-type': 'application/octet-stream',
          'content-disposition': `attachment; filename="delivery-${id}"`,
          'content-security-policy': `${PROTECTION['content-security-policy'] as string}; sandbox`,
        });
      },
    },
    {
      method: 'POST',
      path: '/deliveries/replay',
      async respond({ query, content }) {
        parseQuery(NOTHING, query);
        const { changed, next = null } = await inbox.replay(parseContent(REPLAY_CONTENT, content));
        if (changed > 0) wakeHandler();
        return jsonResponse(200, { changed, next });
      },
    },
    {
      method: 'POST',
      path: '/deliveries/discard',
      async respond({ query, content }) {
        parseQuery(NOTHING, query);
        const { batch, reason } = parseContent(DISCARD_CONTENT, content);
        const { changed, next = null } = await inbox.discard(batch, reason);
        return jsonResponse(200, { changed, next });
      },
    },
    { method: 'POST', path: '/handler/pause', respond: (request) => setPaused(request, true) },
    { method: 'POST', path: '/handler/resume', respond: (request) => setPaused(request, false) },
    {
      method: 'GET',
      path: '/stats',
      async respond({ query }) {
        parseQuery(NOTHING, query);
        return jsonResponse(200, { ...(await inbox.stats()), receiver });
      },
    },
  ];
}

function withContent(delivery: StoredDelivery): object {
  return { ...delivery, content: asBuffer(delivery.content).toString('base64') };
}

/** The same bytes, not copied. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
