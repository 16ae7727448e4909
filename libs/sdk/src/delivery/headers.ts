import { createHmac, type KeyObject } from 'node:crypto';
import { type ContentMethod, RESERVED_FIELDS, signedPieces, type SigningScheme } from '@plant-store/contract';
import type { EncodedPlant } from '../encoders/encode-plant.js';
import { PlantStoreError } from '../errors/plant-store-error.js';

/** A header field of a request. */
export interface HeaderField {
  readonly header: string;
  readonly value: string;
}

/** What the answers say about header fields. `undefined` while the question is open. */
export interface HeaderAnswers {
  readonly versionHeader: HeaderField | undefined;
  /** Name of the field with the identifier of the event. */
  readonly eventIdHeader: string | undefined;
  readonly signing: SigningScheme | undefined;
}

/** A request that is about to be sent, as the `headers` function gets it. */
export interface OutgoingRequest {
  readonly method: ContentMethod;
  /** Where it is sent: `baseUrl` with the delivery path appended. */
  readonly url: string;
  /** Exactly the bytes that will be sent. */
  readonly content: Uint8Array;
  /** The value of Content-Type; absent if `encode` returned no media type. */
  readonly mediaType?: string;
  /** The identifier of the event; absent unless the question event-identity is answered with a header. */
  readonly eventId?: string;
}

/** Returns header fields to add to a request, for example a signature. */
export type HeaderHook = (request: OutgoingRequest) => Readonly<Record<string, string>>;

/** Makes the header fields of a request: a flat list of names and values. */
export type MakeHeaders = (plant: EncodedPlant, credentials: string) => string[];

interface HeaderSettings {
  readonly hook: HeaderHook | undefined;
  readonly method: ContentMethod;
  readonly url: string;
  readonly answered: HeaderAnswers;
  readonly signingKey: KeyObject | undefined;
}

/** Decides which header fields a sender sends: the required ones, those of the answers, those of the hook. */
export function createHeaders({ hook, method, url, answered, signingKey }: HeaderSettings): MakeHeaders {
  const { makers, names } = answeredHeaders(answered, signingKey);
  if (hook !== undefined) {
    const addHeaders = checkedHook(hook, names);
    makers.push((plant) => addHeaders({ method, url, ...plant }));
  }
  return makers.length === 0
    ? requiredHeaders
    : (plant, credentials) => [
        ...requiredHeaders(plant, credentials),
        ...makers.flatMap((makeHeaders) => makeHeaders(plant)),
      ];
}

function requiredHeaders({ mediaType }: EncodedPlant, credentials: string): string[] {
  return mediaType === undefined
    ? ['authorization', credentials]
    : ['authorization', credentials, 'content-type', mediaType];
}

type AddHeaders = (plant: EncodedPlant) => readonly string[];

function answeredHeaders(
  { versionHeader, eventIdHeader, signing }: HeaderAnswers,
  signingKey: KeyObject | undefined,
): { readonly makers: AddHeaders[]; readonly names: readonly string[] } {
  const makers: AddHeaders[] = [];
  const names: string[] = [];
  if (versionHeader !== undefined) {
    const field = Object.freeze([versionHeader.header, versionHeader.value]);
    makers.push(() => field);
    names.push(versionHeader.header);
  }
  if (eventIdHeader !== undefined) {
    makers.push(({ eventId }) => [eventIdHeader, eventId!]);
    names.push(eventIdHeader);
  }
  if (signing !== undefined && signingKey !== undefined) {
    makers.push(signer(signing, signingKey));
    names.push(signing.signature.header, ...(signing.timestamp ? [signing.timestamp.header] : []));
  }
  return { makers, names: names.map((name) => name.toLowerCase()) };
}

function signer(scheme: SigningScheme, key: KeyObject): AddHeaders {
  const { signature, timestamp: time } = scheme;
  const algorithm = scheme.algorithm === 'hmac-sha256' ? 'sha256' : 'sha512';
  return ({ content, eventId = '' }) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const hash = createHmac(algorithm, key);
    for (const piece of signedPieces(scheme, { eventId, timestamp, content })) hash.update(piece);
    const signed = [signature.header, signature.prefix + hash.digest(signature.encoding)];
    return time === undefined ? signed : [time.header, timestamp, ...signed];
  };
}

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Calls the `headers` function and checks its result. The answered names, in lower case, are reserved too. */
function checkedHook(
  hook: HeaderHook,
  answeredNames: readonly string[],
): (request: OutgoingRequest) => string[] {
  const reserved: ReadonlySet<string> = new Set([...RESERVED_FIELDS, ...answeredNames]);
  return (request) =>
    Object.entries(call(hook, request)).flatMap(([name, value]) => {
      if (!namePattern.test(name)) throw headersFailed('`headers` returned an invalid header name.');
      if (reserved.has(name.toLowerCase())) {
        throw headersFailed(
          `\`headers\` must not return ${name}. This header frames or describes the request, or an answer sets it.`,
        );
      }
      if (typeof value !== 'string' || !valuePattern.test(value)) {
        throw headersFailed(`\`headers\` returned an invalid value of ${name}.`);
      }
      return [name, value];
    });
}

function call(hook: HeaderHook, request: OutgoingRequest): Readonly<Record<string, string>> {
  try {
    return hook(request);
  } catch (cause) {
    throw headersFailed('`headers` threw an error; see `cause`.', cause);
  }
}

function headersFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_HEADERS_FAILED', message, { outcome: 'not-sent', cause });
}
