import * as v from 'valibot';
import { isJsonMediaType } from '../standards.js';
import { kind } from './kind.js';
import { isJson, mediaType, refuse, said } from './parts.js';

/** The response to a delivery that a receiver has accepted (RFC 9110 §15.3). */
const schema = v.variant('status', [
  v.strictObject({
    status: v.picklist([204, 205]),
    description: said,
    content: v.optional(v.never('left out, because a 204 or 205 response has none')),
  }),
  v.strictObject({
    status: v.picklist([200, 201, 202, 203]),
    description: said,
    /** Sent unchanged, in UTF-8. */
    content: v.optional(
      v.pipe(
        v.strictObject({ mediaType, text: v.string() }),
        refuse(
          ({ mediaType, text }) => isJsonMediaType(mediaType) && !isJson(text),
          'must have a text that is JSON, as its media type says',
        ),
      ),
    ),
  }),
]);

function contentOf(response: object): string | undefined {
  const { content } = response as { content?: { readonly mediaType: string; readonly text: string } };
  return content && `${content.mediaType} \`${content.text}\``;
}

export const receiverResponse = kind('receiver-response', schema, {
  inWords: (response) => {
    const content = contentOf(response);
    return `${response.status} (${response.description})${content === undefined ? '' : ` with ${content}`}`;
  },
  example: {
    status: 200,
    description: 'The plant was taken.',
    content: { mediaType: 'application/json', text: '{"taken":true}' },
  },
  more: {
    empty: { status: 204, description: 'The plant was taken.' },
    silent: { status: 200, description: 'The plant was taken.' },
  },
  builtOn: ['http-method'],
  effects: {
    'receiver.responds': [
      'breaking',
      (response) => {
        const content = contentOf(response);
        return `Responds with ${response.status}${content === undefined ? '' : ` and ${content}`} once the delivery is on disk.`;
      },
    ],
    'sender.takes-acknowledgement': [
      'breaking',
      ({ status }) => `Takes only ${status} as an acknowledgement.`,
    ],
  },
  fails: (from, to) => {
    const status = to?.status ?? 204;
    if (from === undefined || from.status === status) return undefined;
    return `the receiver responds with ${status}, and the sender takes only ${from.status} as an acknowledgement`;
  },
  step: (before, after) => (before?.status === after?.status ? 'patch' : 'major'),
  transition: ({ status }) => `With \`stillAccepted\`, new senders take a ${status} too: then senders first.`,
  shows: {
    receiver: { 'as agreed': '200 · application/json · {"taken":true}' },
    sender: { 'after a 202': 'not acknowledged' },
    types: { 'a status of 200': 'compiles' },
  },
});
