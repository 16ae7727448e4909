import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';

import type { Operations } from '../../inbox/operations.js';
import type { Activity } from '../activity.js';
import { originOf, type ServingReceiver } from '../deliveries.js';
import { ACT_CONTENT, FORM_CONTENT, MAX_NAME } from '../parameters.js';
import { RequestFault } from '../request-fault.js';
import { parsed } from '../validation.js';
import { actsPage } from './acts.js';
import { errorsPage } from './errors.js';
import { keysPage } from './keys.js';
import { pageOf } from './layout.js';
import { listPage } from './list.js';
import { type Look, LOOK_INTERVAL, overviewOf } from './look.js';
import { OpenDeliveries } from './open-deliveries.js';
import { addressOf, changed, hasLocalTime, type Place, placeOf } from './place.js';
import { refusedPage } from './refused.js';
import * as words from './words.js';

/**
 * Script and style are files of this listener, whatever a page shows; forms are sent to it alone, and no text can become HTML
 * (Trusted Types). Its forms need an `Origin`, which a page without any referrer doesn't send.
 */
const FIELDS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'referrer-policy': 'same-origin',
  vary: 'accept-encoding',
};

/** A page as it is sent. */
interface Made {
  readonly html: string;
  readonly compressed: Buffer;
}

const compress = promisify(gzip);

/** Who looks, as far as a page differs. */
interface Viewer {
  readonly zone: string;
  readonly origin: string;
  readonly operator: string;
  readonly isSignedIn: boolean;
}

/** The inspector: pages for the people who run a receiver, and their forms. Each page is made at most once a second. */
export function inspectorRoutes(
  app: FastifyInstance,
  inbox: Operations,
  activity: Activity,
  receiver: ServingReceiver,
): void {
  let overview = overviewOf(inbox, activity);
  const openDeliveries = new OpenDeliveries(inbox);
  const pages = new Map<string, Promise<Made>>();

  const viewerOf = (request: FastifyRequest): Viewer => {
    const { operator: signedIn } = originOf(request, {}, receiver);
    return {
      zone: cookieOf(request, 'zone'),
      origin: `http://${request.host}`,
      operator: signedIn ?? cookieOf(request, 'operator').slice(0, MAX_NAME),
      isSignedIn: signedIn !== null,
    };
  };
  const make = async (place: Place, { zone, ...viewer }: Viewer): Promise<Made> => {
    const [read, done] = await Promise.all([overview(), place.done && inbox.acts.find(place.done)]);
    const times = new words.Times(zone, Date.now());
    const look: Look = { ...read, ...viewer, inbox, activity, place, times, facts: receiver.facts };
    const content = await {
      deliveries: () => listPage(look, openDeliveries),
      errors: () => errorsPage(look),
      acts: () => actsPage(look),
      refused: () => refusedPage(look),
      keys: keysPage,
    }[place.view ?? 'deliveries']();
    const html = `<!doctype html>\n${renderToString(pageOf(look, done || undefined, content))}\n`;
    return { html, compressed: await compress(html) };
  };
  /** The page of a place: one for all who look while it is made, and in the second after that. */
  const lastMade = (place: Place, viewer: Viewer): Promise<Made> => {
    const name = JSON.stringify([place, viewer]);
    const known = pages.get(name);
    if (known !== undefined) return known;
    const made = make(place, viewer);
    const forget = (): void => {
      if (pages.get(name) === made) pages.delete(name);
    };
    made.then(() => setTimeout(forget, LOOK_INTERVAL).unref(), forget);
    pages.set(name, made);
    return made;
  };

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
  );
  app.get('/', { config: { audience: 'page' } }, async (request, reply) => {
    const viewer = viewerOf(request);
    const times = new words.Times(viewer.zone, Date.now());
    const query = request.query as Record<string, unknown>;
    const place = parsed('INVALID_QUERY', () => placeOf(query, times));
    // Its times are those of this reader: another one would see something else at this address.
    if (hasLocalTime(query)) return reply.redirect(`./${addressOf(place)}`, 303);
    const { html, compressed } = await lastMade(place, viewer);
    const isCompressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (isCompressed) reply.header('content-encoding', 'gzip');
    return reply.headers(FIELDS).send(isCompressed ? compressed : html);
  });
  app.post('/', { config: { isForm: true } }, async (request, reply) => {
    const { kind, back, filter, count, operator, reason } = parsed('INVALID_CONTENT', () =>
      FORM_CONTENT.parse(request.body, { reportInput: true }),
    );
    const sent = { operator, ...(reason !== '' && { reason }) };
    const origin = originOf(request, sent, receiver);
    const times = new words.Times('UTC', Date.now());
    const place = parsed('INVALID_CONTENT', () => placeOf(queryOf(back), times));
    const act = async (): Promise<{ readonly id: number }> => {
      if (kind === 'pause' || kind === 'resume') return inbox.setPaused(kind === 'pause', origin);
      const change = parsed('INVALID_CONTENT', () =>
        ACT_CONTENT.parse({ kind, filter: JSON.parse(filter) as unknown, ...sent }, { reportInput: true }),
      );
      // What failed for the last time since the question was none of those that are deleted for good.
      if (change.kind === 'discard' && count !== undefined && change.filter.ids === undefined) {
        const more = (await inbox.count(change.filter)).parked - count;
        if (more > 0)
          throw new RequestFault(
            'MORE_THAN_ASKED',
            `Nothing was discarded: ${words.count(more)} more ${more === 1 ? 'delivery was' : 'deliveries were'} parked since the question. Cancel, and ask again.`,
          );
      }
      return inbox.acts.begin(change.kind, change.filter, origin);
    };
    const { id } = await act().finally(() => {
      // Whoever acted sees at once what there is.
      pages.clear();
      overview = overviewOf(inbox, activity);
    });
    const name = encodeURIComponent(operator.trim());
    return reply
      .header('set-cookie', `operator=${name}; SameSite=Strict; HttpOnly; Max-Age=31536000`)
      .redirect(`./${addressOf(changed(place, { ask: undefined, chosen: undefined, done: id }))}`, 303);
  });
}

function queryOf(address: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(address);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}

/** The value of a cookie; empty without it. */
function cookieOf({ headers }: FastifyRequest, name: string): string {
  const [, value = ''] = new RegExp(`(?:^|; )${name}=([^;]*)`).exec(headers.cookie ?? '') ?? [];
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
