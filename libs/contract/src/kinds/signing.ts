import * as v from 'valibot';
import { type AnswerOf, isSame, kind, listOf } from './kind.js';
import { headerName, refuse, textThat, wholeNumber } from './parts.js';

/**
 * How a delivery is signed: a keyed hash over some of its parts, in a header field. Sender and receiver share the key,
 * which is a secret and not part of the answer.
 */
const schema = v.pipe(
  v.strictObject({
    /** HMAC (RFC 2104) with this hash. */
    algorithm: v.picklist(['hmac-sha256', 'hmac-sha512']),
    /** The parts that are signed, in this order. `event-id` is the value of the header that `event-identity` names. */
    signed: v.pipe(
      v.array(v.picklist(['event-id', 'timestamp', 'content'])),
      refuse((parts) => !parts.includes('content'), 'must include the content'),
    ),
    /** Stands between the parts. */
    separator: v.string(),
    /**
     * The header that carries the signature. It may carry several, separated by spaces, for instance while a key is
     * replaced. One valid signature is enough.
     */
    signature: v.strictObject({
      header: headerName,
      prefix: textThat(/^[!-~]*$/, 'printable ASCII without spaces'),
      encoding: v.picklist(['base64', 'hex']),
    }),
    /** The header that carries the time of sending, in seconds since 1970, and how far that time may be off. */
    timestamp: v.optional(
      v.strictObject({ header: headerName, toleranceSeconds: wholeNumber(0, Number.MAX_SAFE_INTEGER) }),
    ),
    /** How a key is written in the configuration: a prefix, then the key in this encoding, as `KEY_PATTERNS` says. */
    key: v.strictObject({
      prefix: textThat(
        /^(?!#)[!-+\--~]*$/,
        'printable ASCII without spaces and commas that does not begin with #',
      ),
      encoding: v.picklist(['base64', 'utf8']),
    }),
  }),
  refuse(
    ({ signed, timestamp }) => signed.includes('timestamp') && timestamp === undefined,
    'signs the timestamp, so `timestamp` must name its header',
  ),
);

type Scheme = AnswerOf<typeof schema>;

/** The signature of a delivery, to compare. */
function signatureOf({ algorithm, signed, separator, signature }: Scheme): unknown {
  const between = signed.length > 1 ? separator : '';
  return [algorithm, signed, between, { ...signature, header: signature.header.toLowerCase() }];
}

const timeOf = (scheme: Scheme): string | undefined => scheme.timestamp?.header.toLowerCase();

// As in Standard Webhooks.
const example = {
  algorithm: 'hmac-sha256',
  signed: ['event-id', 'timestamp', 'content'],
  separator: '.',
  signature: { header: 'webhook-signature', prefix: 'v1,', encoding: 'base64' },
  timestamp: { header: 'webhook-timestamp', toleranceSeconds: 300 },
  key: { prefix: 'whsec_', encoding: 'base64' },
} as const;
const { timestamp, ...untimed } = example;

export const signing = kind('signing', schema, {
  inWords: ({ algorithm, signed, signature, timestamp }) => {
    const words = `${algorithm} over ${listOf(signed)}, in the header ${signature.header}`;
    if (timestamp === undefined) return words;
    return `${words}; the time in ${timestamp.header}, at most ${timestamp.toleranceSeconds} s off`;
  },
  example,
  more: {
    sha512: { ...example, algorithm: 'hmac-sha512' },
    'other-header': { ...example, signature: { ...example.signature, header: 'plant-signature' } },
    'other-key': { ...example, key: { prefix: '', encoding: 'utf8' } },
    'content-alone': { ...untimed, signed: ['content'] },
    'content-and-time': { ...example, signed: ['content'] },
    stricter: { ...example, timestamp: { ...timestamp, toleranceSeconds: 100 } },
  },
  builtOn: ['http-method', 'event-identity'],
  effects: {
    'receiver.refuses-signature': [
      'breaking',
      ({ signature }, { statusOf }) =>
        `Needs \`SIGNING_KEYS\`; a delivery without a valid signature in ${signature.header} gets ${statusOf('signature-invalid')}.`,
    ],
    'sender.signs': ['breaking', (_scheme, { words }) => `Needs \`signingKey\`, and signs: ${words}.`],
  },
  fails: (from, to, _sender, { statusOf }) => {
    if (to === undefined) return undefined;
    const isTimed = to.timestamp === undefined || (from !== undefined && timeOf(from) === timeOf(to));
    if (from !== undefined && isSame(signatureOf(from), signatureOf(to)) && isTimed) return undefined;
    return `a delivery without this signature gets ${statusOf('signature-invalid')}`;
  },
  step: (before, after) => {
    if (before === undefined || after === undefined) return 'major';
    if (!isSame(signatureOf(before), signatureOf(after)) || !isSame(before.key, after.key)) return 'major';
    if (timeOf(before) === timeOf(after)) return 'patch';
    return before.timestamp === undefined ? 'minor' : 'major';
  },
  shows: {
    receiver: {
      'without a signature': 'refused with 403',
      'started with other settings': 'refuses SIGNING_KEYS',
    },
    sender: {
      'with every option':
        'PUT /plant/webhook · authorization content-type webhook-id webhook-signature webhook-timestamp · {"name":"Fern"}',
      'without `signingKey`': 'needs signingKey',
    },
    types: { 'without `signingKey`': 'does not compile' },
  },
});
