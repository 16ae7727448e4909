import * as v from 'valibot';
import { isPointer } from '../json-pointer.js';
import { kind, unlessJson } from './kind.js';
import { headerName, path } from './parts.js';

/** Where the identifier of an event is. */
const schema = v.union([
  v.strictObject({ header: headerName }),
  v.strictObject({
    /** In JSON content, as text or a number (RFC 6901). */
    pointer: path(isPointer, 'a JSON Pointer to a field, such as /id'),
  }),
]);

type Identity = { readonly header: string } | { readonly pointer: string };

const headerOf = (identity: Identity | undefined): string | undefined =>
  identity !== undefined && 'header' in identity ? identity.header.toLowerCase() : undefined;

const placeOf = (identity: Identity): string =>
  'header' in identity ? identity.header.toLowerCase() : identity.pointer;

const inWords = (identity: Identity): string =>
  'header' in identity ? `in the header ${identity.header}` : `in the content, at \`${identity.pointer}\``;

export const eventIdentity = kind('event-identity', schema, {
  inWords,
  example: { header: 'webhook-id' },
  more: {
    'other-header': { header: 'event-id' },
    upper: { header: 'Webhook-Id' },
    content: { pointer: '/id' },
  },
  builtOn: ['http-method'],
  effects: {
    'receiver.refuses-unidentified': [
      'breaking',
      (identity, { words, ...others }) => {
        const unread = 'header' in identity ? '' : `${unlessJson(others)}, and `;
        return `Keeps one delivery of each event, which is identified ${words}; ${unread}a delivery without an identifier gets ${others.statusOf('event-id-missing')}.`;
      },
    ],
    'sender.needs-event-id': [
      'breaking',
      (identity) =>
        'header' in identity
          ? `Needs \`eventId\` for each delivery, and sends it in the header ${identity.header}.`
          : undefined,
    ],
  },
  fails: (from, to, _sender, { statusOf }) => {
    if (to === undefined) return undefined;
    if (from !== undefined && placeOf(from) === placeOf(to)) return undefined;
    return `a delivery without an identifier ${inWords(to)} gets ${statusOf('event-id-missing')}`;
  },
  step: (before, after) => (headerOf(before) === headerOf(after) ? 'patch' : 'major'),
  shows: {
    receiver: { 'without an identifier': 'refused with 400', 'sent twice': '1 kept' },
    sender: {
      'with every option': 'PUT /plant/webhook · authorization content-type webhook-id · {"name":"Fern"}',
      'without `eventId`': 'needs eventId',
    },
    types: { 'sent without `eventId`': 'does not compile' },
  },
});
