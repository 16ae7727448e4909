import {
  CONTENT_METHODS,
  type ExecutableAnswers,
  type ExecutableId,
  facts,
  type Failure,
  isJsonMediaType,
  plantFieldOf,
  type SigningScheme,
  statusOf as statusCodeOf,
} from '@plant-store/contract';
import type { EffectRow, Others } from './effect-row.js';
import type { JsonSchema } from './json-schema.js';
import { schemaRow } from './schema-row.js';

/** The executable questions whose answer is a schema. Its plain form is JSON Schema. */
type SchemaQuestion = 'plant-fields' | 'event-payload-fields';

/** What holds while a question about limits is open: the defaults of the settings. */
export const LIMITS_WHILE_OPEN = {
  /** `MAX_CONTENT_BYTES` of the receiver. */
  bytes: 1_048_576,
  /** `REQUEST_TIMEOUT_MS` of the receiver, `attemptTimeout` of the sender. */
  times: { delivery: 30_000, response: 15_000 } satisfies ExecutableAnswers['time-outs'],
};

/** What each executable answer means for receivers, senders, the order of deployment, and the version of the SDK. */
export const effectRows: {
  readonly [Id in ExecutableId]: EffectRow<Id extends SchemaQuestion ? JsonSchema : ExecutableAnswers[Id]>;
} = {
  'base-address': {
    inWords: (url) => url,
    sender: (url) => `Sends to ${url} unless the caller passes \`baseUrl\`.`,
    // While the question is open, the caller knows the address.
    fails: (from, to) =>
      from === undefined || to === undefined || from === to
        ? undefined
        : `${from} is not the address of the receiver`,
    step: (before) => (before === undefined ? 'minor' : 'major'),
  },
  'http-method': {
    inWords: (method) => method,
    receiver: (method) => `Takes ${method} only; other methods get 405.`,
    sender: (method) => `Sends ${method} unless the caller passes another \`method\`.`,
    fails: (from, to) => {
      if (to === undefined || from === to) return undefined;
      const sent = from === undefined ? CONTENT_METHODS.filter((method) => method !== to) : [from];
      return sent.length === 1 ? `${sent[0]} gets 405` : `${listOf(sent)} get 405`;
    },
    step: (before) => (before === undefined ? 'minor' : 'major'),
    accepts: (before) => `With \`accepts\`, new receivers take ${before} too: then receivers first.`,
  },
  'media-type': {
    inWords: (mediaType) => mediaType,
    receiver: (mediaType, others) =>
      `Takes content of the type ${mediaType} only; other content gets ${statusOf('media-type-unsupported', others)}.`,
    sender: (mediaType) =>
      `Sends content as ${mediaType}, and refuses content that \`encode\` gives another type.`,
    fails: (from, to, others) =>
      to === undefined || from?.toLowerCase() === to.toLowerCase()
        ? undefined
        : `content of another type than ${to} gets ${statusOf('media-type-unsupported', others)}`,
    step: () => 'major',
    accepts: (before) => `With \`accepts\`, new receivers take ${before} too: then receivers first.`,
  },
  payload: {
    inWords: (payload) => {
      const field = plantFieldOf(payload);
      return field === undefined ? 'the plant alone' : `an object with the plant in the field \`${field}\``;
    },
    receiver: (payload, others) => {
      if (!isJson(others)) return undefined;
      const field = plantFieldOf(payload);
      const malformed = `content that is no JSON gets ${statusOf('content-malformed', others)}`;
      return field === undefined
        ? `Takes JSON; ${malformed}.`
        : `Takes JSON with the plant in the field \`${field}\`; ${malformed}, content without that field ${statusOf('content-invalid', others)}.`;
    },
    sender: (payload, others) => {
      if (!isJson(others)) return undefined;
      const field = plantFieldOf(payload);
      const what = field === undefined ? 'the plant alone' : `the plant in the field \`${field}\``;
      return `Sends JSON with ${what} unless the caller passes \`encode\`.`;
    },
    fails: (from, to, others) => {
      if (!isJson(others) || to === undefined) return undefined;
      if (from === undefined) return 'content of another shape is refused';
      const field = plantFieldOf(to);
      if (plantFieldOf(from) === field) return undefined;
      return field === undefined
        ? 'the whole content is taken for the plant'
        : `content without the field \`${field}\` gets ${statusOf('content-invalid', others)}`;
    },
    step: (before, after, others) => {
      if (!isJson(others)) return 'patch';
      if (before === undefined) return 'minor';
      const isSameShape = after !== undefined && plantFieldOf(before) === plantFieldOf(after);
      return isSameShape ? 'patch' : 'major';
    },
  },
  'plant-fields': schemaRow({
    one: 'a plant',
    many: 'plants',
    receiver: 'Takes plants with these fields',
    sender: 'Asks the compiler for plants with these fields',
    whenOpened: 'minor',
    refusal: refusalOfContent,
  }),
  'event-payload-fields': schemaRow({
    one: 'an event',
    many: 'events',
    receiver: "Takes events with these fields beside the plant's",
    sender: 'Needs `event` for each delivery, beside the plant, with these fields',
    // The caller has to pass `event`, or no longer may.
    whenOpened: 'major',
    refusal: refusalOfContent,
  }),
  'receiver-response': {
    inWords: (response) => `${response.status} (${response.description})${contentInWords(response)}`,
    receiver: (response) =>
      `Responds with ${response.status}${contentInWords(response).replace(' with', ' and')} once the delivery is on disk.`,
    sender: ({ status }) => `Takes only ${status} as an acknowledgement.`,
    fails: (from, to) => {
      const status = to?.status ?? 204;
      return from === undefined || from.status === status
        ? undefined
        : `the receiver responds with ${status}, and the sender takes only ${from.status} as an acknowledgement`;
    },
    step: (before, after) => (before?.status === after?.status ? 'patch' : 'major'),
    accepts: ({ status }) => `With \`accepts\`, new senders take a ${status} too: then senders first.`,
  },
  'token-format': {
    inWords: ({ name, pattern }) => `${name}, which matches \`/${pattern}/\``,
    receiver: ({ pattern }) => `Takes only access tokens that match \`/${pattern}/\`; other tokens get 401.`,
    sender: ({ pattern }) => `Refuses an access token that does not match \`/${pattern}/\`.`,
    fails: (from, to) =>
      to === undefined || from?.pattern === to.pattern
        ? undefined
        : `an access token that does not match \`/${to.pattern}/\` gets 401`,
    step: (before, after) =>
      before?.pattern === after?.pattern ? 'patch' : after === undefined ? 'minor' : 'major',
  },
  'authentication-realm': {
    inWords: (realm) => `"${realm}"`,
    receiver: (realm) => `Names the realm "${realm}" in each challenge.`,
    step: () => 'patch',
  },
  retry: {
    inWords: ({ delays, statuses, withoutResponse }) => {
      const causes = [
        ...(statuses === 'all' ? ['any status that is not an acknowledgement'] : statuses),
        ...(withoutResponse ? ['no response'] : []),
      ];
      if (delays.length === 0 || causes.length === 0) return 'never again';
      return `again after ${listOf(delays.map((delay) => `${delay} ms`))}, following ${listOf(causes, 'or')}`;
    },
    sender: (policy) => `Sends ${effectRows.retry.inWords(policy)}, unless the caller passes \`retry\`.`,
    step: (before, after) => {
      if (before === undefined) return 'minor';
      const isKept =
        after !== undefined &&
        after.delays.length >= before.delays.length &&
        (after.withoutResponse || !before.withoutResponse) &&
        (after.statuses === 'all' ||
          (before.statuses !== 'all' &&
            before.statuses.every((status) => after.statuses.includes(status as never))));
      return isKept ? 'minor' : 'major';
    },
  },
  signing: {
    inWords: ({ algorithm, signed, signature, timestamp }) =>
      `${algorithm} over ${listOf(signed)}, in the header ${signature.header}` +
      (timestamp === undefined
        ? ''
        : `; the time in ${timestamp.header}, at most ${timestamp.toleranceSeconds} s off`),
    receiver: ({ signature }, others) =>
      `Needs \`SIGNING_KEYS\`; a delivery without a valid signature in ${signature.header} gets ${statusOf('signature-invalid', others)}.`,
    sender: (scheme) => `Needs \`signingKey\`, and signs: ${effectRows.signing.inWords(scheme)}.`,
    fails: (from, to, others) => {
      if (to === undefined) return undefined;
      const isSigned = from !== undefined && signatureOf(from) === signatureOf(to);
      const isTimed =
        to.timestamp === undefined ||
        from?.timestamp?.header.toLowerCase() === to.timestamp.header.toLowerCase();
      return isSigned && isTimed
        ? undefined
        : `a delivery without this signature gets ${statusOf('signature-invalid', others)}`;
    },
    step: (before, after) => {
      const isSame = (part: (scheme: SigningScheme) => unknown): boolean =>
        before !== undefined &&
        after !== undefined &&
        JSON.stringify(part(before)) === JSON.stringify(part(after));
      if (!isSame(signatureOf) || !isSame(({ key }) => key)) return 'major';
      if (isSame(({ timestamp }) => timestamp?.header.toLowerCase())) return 'patch';
      return before?.timestamp === undefined ? 'minor' : 'major';
    },
  },
  'event-identity': {
    inWords: (identity) =>
      'header' in identity
        ? `in the header ${identity.header}`
        : `in the content, at \`${identity.pointer}\``,
    receiver: (identity, others) =>
      `Keeps one delivery of each event, which is identified ${effectRows['event-identity'].inWords(identity)}; a delivery without an identifier gets ${statusOf('event-id-missing', others)}.`,
    sender: (identity) =>
      'header' in identity
        ? `Needs \`eventId\` for each delivery, and sends it in the header ${identity.header}.`
        : undefined,
    fails: (from, to, others) =>
      to === undefined || (from !== undefined && placeOf(from) === placeOf(to))
        ? undefined
        : `a delivery without an identifier ${effectRows['event-identity'].inWords(to)} gets ${statusOf('event-id-missing', others)}`,
    step: (before, after) => {
      const header = (identity: typeof before): string | undefined =>
        identity !== undefined && 'header' in identity ? identity.header.toLowerCase() : undefined;
      return header(before) === header(after) ? 'patch' : 'major';
    },
  },
  'error-codes': {
    inWords: (codes) => listOf(Object.entries(codes).map(([failure, code]) => `\`${code}\` for ${failure}`)),
    receiver: (codes, others) =>
      hasCode(others)
        ? `Sends a code with these refusals: ${effectRows['error-codes'].inWords(codes)}.`
        : undefined,
    sender: (_codes, others) =>
      hasCode(others) ? 'Names the failure in the error of a delivery, by the code.' : undefined,
    step: (_before, _after, others) => (hasCode(others) ? 'minor' : 'patch'),
  },
  'status-codes': {
    inWords: (codes) =>
      listOf(
        Object.keys(codes).map((failure) => `${statusCodeOf(failure as Failure, codes)} for ${failure}`),
      ),
    receiver: (codes) => `Refuses with ${effectRows['status-codes'].inWords(codes)}.`,
    sender: () => 'Names the failure in the error of a delivery, by the status.',
    step: () => 'minor',
  },
  'error-payloads': {
    inWords: ({ mediaType, fields }) => `${mediaType} with ${listOf(Object.keys(fields).map(code))}`,
    receiver: (payload) =>
      `Sends content with each refusal: ${effectRows['error-payloads'].inWords(payload)}.`,
    sender: () => 'Gives the caller that content in the error of a delivery.',
    step: () => 'minor',
  },
  'rate-limits': {
    inWords: ({ deliveries, seconds }) => `${deliveries} deliveries in ${seconds} s`,
    receiver: (limit, others) =>
      `Takes ${effectRows['rate-limits'].inWords(limit)} with one access token; more get ${statusOf('rate-exceeded', others)}.`,
    sender: (limit) => `Sends at most ${effectRows['rate-limits'].inWords(limit)}; others wait.`,
    fails: (from, to, others) =>
      isWithin(from, to)
        ? undefined
        : `more than ${to!.deliveries} deliveries in ${to!.seconds} s get ${statusOf('rate-exceeded', others)}`,
    step: (before, after) => (isWithin(before, after) ? 'minor' : 'major'),
  },
  'size-limits': {
    inWords: (bytes) => `${bytes} bytes`,
    receiver: (bytes, others) =>
      `Takes content of at most ${bytes} bytes; larger content gets ${statusOf('content-too-large', others)}.`,
    sender: (bytes) => `Refuses content of more than ${bytes} bytes before it is sent.`,
    fails: (from, to, others) => {
      const limit = to ?? LIMITS_WHILE_OPEN.bytes;
      return (from ?? LIMITS_WHILE_OPEN.bytes) <= limit
        ? undefined
        : `content of more than ${limit} bytes gets ${statusOf('content-too-large', others)}`;
    },
    step: (before, after) => ((before ?? Infinity) <= (after ?? Infinity) ? 'minor' : 'major'),
  },
  'time-outs': {
    inWords: ({ delivery, response }) => `${delivery} ms for a request, ${response} ms for its response`,
    receiver: ({ delivery }) => `Waits ${delivery} ms for a whole request; a slower one gets 408.`,
    sender: ({ response }) =>
      `Waits ${response} ms for a whole response unless the caller passes \`attemptTimeout\`.`,
    fails: (from, to) => {
      const [sender, receiver] = [from ?? LIMITS_WHILE_OPEN.times, to ?? LIMITS_WHILE_OPEN.times];
      const reasons = [
        ...(sender.delivery > receiver.delivery
          ? [`a request that takes more than ${receiver.delivery} ms gets 408`]
          : []),
        ...(receiver.response > sender.response
          ? [`a response that takes more than ${sender.response} ms comes too late`]
          : []),
      ];
      return reasons.length === 0 ? undefined : reasons.join(', and ');
    },
    step: (before, after) => {
      const [old, now] = [before ?? LIMITS_WHILE_OPEN.times, after ?? LIMITS_WHILE_OPEN.times];
      return now.response < old.response ? 'major' : now.response > old.response ? 'minor' : 'patch';
    },
  },
  'request-versioning': {
    inWords: (scheme) =>
      'header' in scheme
        ? `the header ${scheme.header}: ${scheme.value}`
        : `the path prefix ${scheme.pathPrefix}`,
    receiver: (scheme, others) =>
      'header' in scheme
        ? `Takes only requests with ${scheme.header}: ${scheme.value}; others get ${statusOf('version-unsupported', others)}.`
        : `Serves ${scheme.pathPrefix}${facts.DELIVERY_PATH}; the path without the prefix gets 404.`,
    sender: (scheme) =>
      'header' in scheme
        ? `Sends ${scheme.header}: ${scheme.value}.`
        : `Sends to ${scheme.pathPrefix}${facts.DELIVERY_PATH} below \`baseUrl\`.`,
    fails: (from, to, others) => {
      const path = (scheme: typeof from): string =>
        scheme !== undefined && 'pathPrefix' in scheme ? scheme.pathPrefix : '';
      if (path(from) !== path(to)) return `${path(from)}${facts.DELIVERY_PATH} gets 404`;
      if (to === undefined || !('header' in to)) return undefined;
      const isSent =
        from !== undefined &&
        'header' in from &&
        from.header.toLowerCase() === to.header.toLowerCase() &&
        from.value === to.value;
      return isSent
        ? undefined
        : `a request without ${to.header}: ${to.value} gets ${statusOf('version-unsupported', others)}`;
    },
    step: (before, after) =>
      before === undefined && after !== undefined && 'header' in after ? 'minor' : 'major',
  },
};

/** The status with which a receiver refuses content that doesn't fit; undefined while it doesn't look at it. */
function refusalOfContent(others: Others): number | undefined {
  return others['payload'] !== undefined && isJson(others) ? statusOf('content-invalid', others) : undefined;
}

/** The status of a refusal. */
function statusOf(failure: Failure, others: Others): number {
  return statusCodeOf(failure, others['status-codes'] ?? {});
}

function isJson(others: Others): boolean {
  return isJsonMediaType((others['media-type'] as string | undefined) ?? '');
}
/** Whether the content of a refusal has a code. */
function hasCode(others: Others): boolean {
  const payload = others['error-payloads'] as ExecutableAnswers['error-payloads'] | undefined;
  return payload !== undefined && Object.values(payload.fields).includes('code');
}

function contentInWords(response: ExecutableAnswers['receiver-response']): string {
  const content = 'content' in response ? response.content : undefined;
  return content === undefined ? '' : ` with ${content.mediaType} \`${content.text}\``;
}

/** The signature of a delivery, to compare. */
function signatureOf({ algorithm, signed, separator, signature }: SigningScheme): string {
  const { header, prefix, encoding } = signature;
  const between = signed.length > 1 ? separator : '';
  return JSON.stringify([algorithm, signed, between, header.toLowerCase(), prefix, encoding]);
}

/** Where the identifier of an event is, to compare. */
function placeOf(identity: ExecutableAnswers['event-identity']): string {
  return 'header' in identity ? identity.header.toLowerCase() : identity.pointer;
}

/** Whether whoever keeps the one limit keeps the other too. */
function isWithin(
  one: ExecutableAnswers['rate-limits'] | undefined,
  other: ExecutableAnswers['rate-limits'] | undefined,
): boolean {
  if (other === undefined) return true;
  if (one === undefined) return false;
  return one.deliveries * Math.ceil(other.seconds / one.seconds) <= other.deliveries;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** `1`, `1 and 2`, `1, 2 and 3`. */
function listOf(items: readonly (string | number)[], word = 'and'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`;
}
