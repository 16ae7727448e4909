import type { IncomingHttpHeaders } from 'node:http';

import { type AnswerValues, type Failure, isJsonMediaType } from '@plant-store/contract';

import type { AcceptedToken } from '../authentication/bearer.strategy.js';
import { checkContent, type DeliveryPipeline } from '../delivery/pipeline.js';
import { Refusal } from '../http/refusal.js';
import type { RequestHead } from '../http/message.js';
import type { StoredDelivery } from '../inbox/inbox-operations.js';
import { composeAnswers } from './compose-answers.js';
import { type ReceiverQuestion, receiverTable } from './receiver-table.js';

/** What is left of a delivery, as its pipeline had it. */
export type KeptDelivery = Pick<
  StoredDelivery,
  'method' | 'mediaType' | 'contentEncoding' | 'fields' | 'content'
>;

/** Tries a set of answers on deliveries that were accepted before. */
export interface Trial {
  /** Proposed answers that it does not try, with the reason for people. */
  readonly untried: readonly { readonly question: string; readonly reason: string }[];
  /** Why the receiver would refuse a delivery; undefined if it would accept it. */
  readonly refusalOf: (delivery: KeptDelivery) => Promise<Failure | undefined>;
  /** The status of the response to a failure. */
  readonly statusOf: (failure: Failure) => number;
}

/** Why an answer can't be tried: it needs what is not kept of a delivery. */
const NOT_KEPT: { readonly [Id in ReceiverQuestion]?: string } = {
  'rate-limits': 'the access token of a delivery is not kept',
  'time-outs': 'how long a request took is not kept',
  'token-format': 'the access token of a delivery is not kept',
  signing: 'a signature needs the signing keys, and the time at which the request came',
};

/** Questions whose answers change responses alone. */
const ONLY_RESPONSES = [
  'authentication-realm',
  'error-codes',
  'error-payloads',
  'receiver-response',
  'status-codes',
];

/** The questions whose answers are checked together. */
const CONTENT_QUESTIONS = ['payload', 'plant-fields', 'event-payload-fields'];

/** Whoever sent it. */
const ANY_TOKEN: AcceptedToken = new Uint8Array();

/**
 * Prepares to run the receiver's own pipeline on kept deliveries.
 *
 * @param answers those that are given, and the proposed ones in place of them
 * @param proposed the questions of the proposed answers
 * @throws ReceiverError `ANSWERS_INVALID`, with every answer that can't be carried out
 */
export function prepareTrial(answers: AnswerValues, proposed: readonly string[]): Trial {
  // Faults are those of all answers, and then what can't be tried refuses nothing.
  composeAnswers(answers);
  const triable = Object.fromEntries(Object.entries(answers).filter(([id]) => !(id in NOT_KEPT)));
  const composed = composeAnswers(triable);
  const limits = Object.fromEntries(composed.settings.limits.map(({ setting, value }) => [setting, value]));
  const pipeline = composed.createPipeline({
    ...{ MAX_CONTENT_BYTES: Infinity, MAX_CONTENT_BYTES_IN_FLIGHT: Infinity, REQUEST_TIMEOUT_MS: 30_000 },
    ...limits,
    SIGNING_KEYS: undefined,
  });
  return {
    untried: proposed.flatMap((question) => {
      const reason = whyUntried(question, answers);
      return reason === undefined ? [] : [{ question, reason }];
    }),
    refusalOf: (delivery) => refusalOf(pipeline, delivery),
    statusOf: (failure) => pipeline.refusals[failure].status,
  };
}

function whyUntried(question: string, answers: AnswerValues): string | undefined {
  if (!Object.hasOwn(receiverTable, question)) return 'the receiver does not use this answer';
  if (question === 'request-versioning' && 'pathPrefix' in answers[question]!)
    return 'the path of a request is not kept';
  const isContentRead = answers.payload !== undefined && isJsonMediaType(answers['media-type']);
  if (CONTENT_QUESTIONS.includes(question) && !isContentRead)
    return 'fields are read only if payload is answered, and media-type with JSON: try these with it';
  if (ONLY_RESPONSES.includes(question)) return 'it changes responses, and refuses nothing';
  return NOT_KEPT[question as ReceiverQuestion];
}

async function refusalOf(pipeline: DeliveryPipeline, delivery: KeptDelivery): Promise<Failure | undefined> {
  const request = requestOf(delivery);
  const content = Buffer.from(delivery.content);
  try {
    for (const step of pipeline.headSteps) step(request, ANY_TOKEN);
    if (content.length > pipeline.maxContentBytes) return 'content-too-large';
    await checkContent(pipeline, { request, content, json: undefined, eventId: null });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.failure;
    throw error;
  }
}

/** The head of the request that was kept, with the fields of its content. */
function requestOf({ method, mediaType, contentEncoding, fields, content }: KeptDelivery): RequestHead {
  const values = new Map<string, string>();
  for (const [name, value] of fields) {
    const before = values.get(name.toLowerCase());
    // Several lines of a field are one list (RFC 9110 §5.3).
    values.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  const ofContent = { 'content-type': mediaType, 'content-encoding': contentEncoding };
  for (const [name, value] of Object.entries(ofContent)) values.set(name, value ?? '');
  values.set('content-length', String(content.length));
  const headers = Object.fromEntries(values) as IncomingHttpHeaders;
  return { method, headers, rawHeaders: fields.flat() };
}
