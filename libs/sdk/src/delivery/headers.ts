import type { KeyObject } from 'node:crypto';
import { type ContentMethod, RESERVED_FIELDS, type SigningScheme } from '@plant-store/contract';
import type { EncodedPlant } from '../encoders/plant-encoder.js';
import { callAndRead } from '../encoders/promise-like.js';
import { invalidOption } from '../errors/invalid-options-error.js';
import { notSent, type PlantStoreError } from '../errors/plant-store-error.js';
import type { RequestFields } from '../transport/transport.js';
import { addFields, type HeaderFields, readHeaderFields } from './header-fields.js';
import { Signer } from './signing.js';

/** A header field of a request. */
export interface HeaderField {
  readonly header: string;
  readonly value: string;
}

/** What the answers say about header fields. Each is absent while its question is open. */
export interface HeaderAnswers {
  readonly versionHeader?: HeaderField;
  /** Name of the field with the identifier of the event. */
  readonly eventIdHeader?: string;
  readonly signing?: SigningScheme;
}

/** A request that is about to be sent, as the `headers` function gets it. */
export interface OutgoingRequest {
  /** The HTTP method. */
  readonly method: ContentMethod;
  /** Where it is sent: `baseUrl` with the delivery path appended. */
  readonly url: string;
  /** Exactly the bytes that will be sent. */
  readonly content: Uint8Array;
  /** The value of Content-Type; absent if `encode` returned no media type. */
  readonly mediaType?: string;
  /** The identifier of the event; absent unless the question event-identity is answered with a header. */
  readonly eventId?: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/**
 * Returns header fields to add to a request, for example a signature. It may be asynchronous: `attemptTimeout` covers it.
 * If it throws or rejects, the delivery fails with `PLANT_STORE_HEADERS_FAILED`.
 */
export type HeaderHook = (request: OutgoingRequest) => HeaderFields | PromiseLike<HeaderFields>;

/** What the attempts of a delivery send, apart from their credentials. */
export interface DeliveryContent {
  readonly plant: EncodedPlant;
  /** The header fields of this delivery only: a flat list of names and values. */
  readonly ownFields: readonly string[];
}

interface HeaderSettings {
  /** The function of the caller. */
  readonly headers: HeaderHook | undefined;
  readonly method: ContentMethod;
  readonly target: { readonly url: string };
  readonly answered: HeaderAnswers;
  /** Returns the key of an attempt. */
  readonly signingKey?: () => KeyObject;
}

const none: readonly string[] = Object.freeze([]);

/**
 * Makes the header fields of the requests of one sender: the required ones, those of the answers, those of the delivery,
 * those of the `headers` function.
 */
export class RequestHeaders {
  readonly #settings: HeaderSettings;
  readonly #signer: Signer | undefined;
  /** In lower case. */
  readonly #reserved: ReadonlySet<string | undefined>;

  constructor(settings: HeaderSettings) {
    const { answered, signingKey } = settings;
    const { versionHeader, eventIdHeader, signing } = answered;
    this.#settings = settings;
    this.#signer = signing && new Signer(signing, signingKey!);
    const ofAnswers = [versionHeader?.header, eventIdHeader];
    const ofSigning = [signing?.signature.header, signing?.timestamp?.header];
    const names = [...RESERVED_FIELDS, ...ofAnswers, ...ofSigning];
    this.#reserved = new Set(names.map((name) => name?.toLowerCase()));
  }

  /**
   * Checks the `headers` of one delivery.
   *
   * @throws InvalidOptionsError
   */
  readOwn(headers: unknown): readonly string[] {
    return headers === undefined ? none : readHeaderFields(headers, this.#reserved, invalidHeaders);
  }

  /**
   * Makes the header fields of an attempt. They are a promise only if the `headers` function returns one.
   *
   * @param attempt The number of the attempt, from 1.
   * @throws PlantStoreError
   */
  make(
    content: DeliveryContent,
    attempt: number,
    credentials: string,
  ): RequestFields | Promise<RequestFields> {
    const { headers: hook, method, target } = this.#settings;
    if (hook === undefined) return this.#known(content, credentials);
    const request = { method, url: target.url, ...content.plant, attempt };
    const fields = callAndRead(hook, request, this.#readResult, hookThrew);
    // A signature has the time at which the request is sent, so it is made last.
    const add = (checked: string[]): RequestFields => addFields(this.#known(content, credentials), checked);
    return fields instanceof Promise ? fields.then(add) : add(fields);
  }

  readonly #readResult = (fields: unknown): string[] =>
    readHeaderFields(fields, this.#reserved, invalidResult);

  #known({ plant, ownFields }: DeliveryContent, credentials: string): RequestFields {
    const { versionHeader, eventIdHeader } = this.#settings.answered;
    const fields: RequestFields = { authorization: credentials };
    if (plant.mediaType !== undefined) fields['content-type'] = plant.mediaType;
    if (versionHeader !== undefined) fields[versionHeader.header] = versionHeader.value;
    if (eventIdHeader !== undefined) fields[eventIdHeader] = plant.eventId!;
    if (this.#signer !== undefined) Object.assign(fields, this.#signer.sign(plant));
    return ownFields.length === 0 ? fields : addFields(fields, ownFields);
  }
}

function invalidHeaders(problem: string, cause?: unknown): PlantStoreError {
  return invalidOption('headers', problem, { cause });
}

function invalidResult(problem: string, cause?: unknown): PlantStoreError {
  return notSent('PLANT_STORE_HEADERS_FAILED', `The result of \`headers\` ${problem}`, cause);
}

function hookThrew(cause: unknown): PlantStoreError {
  return notSent('PLANT_STORE_HEADERS_FAILED', '`headers` threw an error; see `cause`.', cause);
}
