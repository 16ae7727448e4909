import { kind } from './kind.js';
import { mediaType as schema } from './parts.js';

export const mediaType = kind('media-type', schema, {
  inWords: (type) => type,
  example: 'application/json',
  more: { vendor: 'application/vnd.plant+json' },
  builtOn: ['http-method'],
  effects: {
    'receiver.refuses-media-type': [
      'breaking',
      (type, { statusOf }) =>
        `Takes content of the type ${type} only; other content gets ${statusOf('media-type-unsupported')}.`,
    ],
    'sender.sends-media-type': [
      'breaking',
      (type) => `Sends content as ${type}, and refuses content that \`encode\` gives another type.`,
    ],
  },
  fails: (from, to, _sender, { statusOf }) => {
    if (to === undefined || from?.toLowerCase() === to.toLowerCase()) return undefined;
    return `content of another type than ${to} gets ${statusOf('media-type-unsupported')}`;
  },
  step: () => 'major',
  transition: (before) => `With \`stillAccepted\`, new receivers take ${before} too: then receivers first.`,
  shows: {
    receiver: { 'of another media type': 'refused with 415' },
    sender: { 'encoded as text/plain': 'PLANT_STORE_ENCODE_FAILED' },
    // Without a payload, a caller still has to encode.
    types: 'with payload',
  },
});
