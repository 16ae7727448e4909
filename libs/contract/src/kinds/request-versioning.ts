import * as v from 'valibot';
import { DELIVERY_PATH } from '../facts.js';
import { kind } from './kind.js';
import { headerName, headerValue, path } from './parts.js';

/** How a request says which version of the interface it follows. */
const schema = v.union([
  /** With a fixed value in a header field. */
  v.strictObject({ header: headerName, value: headerValue }),
  /** With a prefix of the delivery path. */
  v.strictObject({
    /** Path segments without escapes, wildcards or dots that would be resolved. */
    pathPrefix: path(
      (prefix) => /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/.test(prefix),
      'one or more plain path segments, such as /v1',
    ),
  }),
]);

const prefixOf = (scheme: object | undefined): string =>
  scheme !== undefined && 'pathPrefix' in scheme ? String(scheme.pathPrefix) : '';

export const requestVersioning = kind('request-versioning', schema, {
  inWords: (scheme) =>
    'header' in scheme
      ? `the header ${scheme.header}: ${scheme.value}`
      : `the path prefix ${scheme.pathPrefix}`,
  example: { header: 'plant-store-version', value: '1.0.0' },
  more: {
    newer: { header: 'plant-store-version', value: '2.0.0' },
    prefix: { pathPrefix: '/v1' },
  },
  builtOn: ['http-method'],
  effects: {
    'receiver.refuses-version': [
      'breaking',
      (scheme, { statusOf }) =>
        'header' in scheme
          ? `Takes only requests with ${scheme.header}: ${scheme.value}; others get ${statusOf('version-unsupported')}.`
          : undefined,
    ],
    'receiver.serves-prefix': [
      'breaking',
      (scheme) =>
        'pathPrefix' in scheme
          ? `Serves ${scheme.pathPrefix}${DELIVERY_PATH}; the path without the prefix gets 404.`
          : undefined,
    ],
    'sender.sends-version': [
      'info',
      (scheme) => ('header' in scheme ? `Sends ${scheme.header}: ${scheme.value}.` : undefined),
    ],
    'sender.sends-to-prefix': [
      'breaking',
      (scheme) =>
        'pathPrefix' in scheme
          ? `Sends to ${scheme.pathPrefix}${DELIVERY_PATH} below \`baseUrl\`.`
          : undefined,
    ],
  },
  fails: (from, to, _sender, { statusOf }) => {
    if (prefixOf(from) !== prefixOf(to)) return `${prefixOf(from)}${DELIVERY_PATH} gets 404`;
    if (to === undefined || !('header' in to)) return undefined;
    const sent = from !== undefined && 'header' in from ? from : undefined;
    if (sent?.header.toLowerCase() === to.header.toLowerCase() && sent.value === to.value) return undefined;
    return `a request without ${to.header}: ${to.value} gets ${statusOf('version-unsupported')}`;
  },
  step: (before, after) =>
    before === undefined && after !== undefined && 'header' in after ? 'minor' : 'major',
  shows: {
    receiver: { 'of another version': 'refused with 400' },
    sender: {
      'with every option':
        'PUT /plant/webhook · authorization content-type plant-store-version · {"name":"Fern"}',
    },
  },
});
